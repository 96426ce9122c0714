import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { errors } from 'undici'

const retrySeconds = 1

/** The error to report to the caller when a guest gave no response. */
export function faultOf(cause: Error): ApiError {
  if (cause instanceof MachineError)
    return cause.code === 'REFUSED'
      ? new ApiError('mapping.NOT_LISTENING', { cause })
      : new ApiError('sandbox.UNREACHABLE', { retryAfter: retrySeconds, cause })
  if (cause instanceof errors.InvalidArgumentError) return new ApiError('request.MALFORMED', { cause })
  if (cause instanceof errors.ClientDestroyedError || cause instanceof errors.ClientClosedError)
    return new ApiError('sandbox.UNREACHABLE', { retryAfter: retrySeconds, cause })
  return new ApiError('mapping.BAD_ANSWER', { message: describe(cause), cause })
}

/** Describes what was wrong with the response. The text is ours or the HTTP parser's, never the guest's. */
function describe(cause: Error): string {
  const what = 'What listens in the sandbox did not answer in HTTP/1.1'
  if (cause instanceof errors.HeadersOverflowError) return `${what}: its headers are too large.`
  if (cause instanceof errors.HTTPParserError) return `${what}: ${cause.message}.`
  if (cause instanceof errors.SocketError) return `${what}: ${cause.message}.`
  return `${what}.`
}
