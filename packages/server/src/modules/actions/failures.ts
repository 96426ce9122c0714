import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

/** Converts the failure of a machine to the error that the caller gets. */
export function failureOf(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  if (!(cause instanceof MachineError)) return new ApiError('machine.NO_ANSWER', { cause })
  const message = asSentence(cause.message)
  if (cause.code === 'INVALID' || cause.code === 'NOT_FOUND')
    return new ApiError('action.INVALID', { message, cause })
  if (cause.code === 'MISMATCH') return new ApiError('action.ELEMENT', { message, cause })
  if (cause.code === 'LACKS_AGENT') return new ApiError('sandbox.LACKS_AGENT', { message, cause })
  if (cause.code === 'UNREACHABLE')
    return new ApiError('sandbox.UNREACHABLE', { message, retryAfter: 1, cause })
  if (cause.code === 'STATE') return new ApiError('sandbox.UNREACHABLE', { retryAfter: 1, cause })
  return new ApiError('machine.NO_ANSWER', { message, cause })
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`
}
