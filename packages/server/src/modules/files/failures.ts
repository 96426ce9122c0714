import { MachineError, type MachineErrorCode } from '@sandglass/machines/contract'
import { ApiError, type ErrorCode } from '@sandglass/protocol'

const codes: Readonly<Record<MachineErrorCode, ErrorCode>> = {
  NOT_FOUND: 'file.NOT_FOUND',
  INVALID: 'file.INVALID',
  DENIED: 'file.DENIED',
  WRONG_KIND: 'file.WRONG_KIND',
  EXISTS: 'file.EXISTS',
  NO_SPACE: 'file.NO_SPACE',
  HOST_FULL: 'node.DISK_FULL',
  STATE: 'file.FAILED',
  LACKS_AGENT: 'sandbox.LACKS_AGENT',
  MISMATCH: 'file.FAILED',
  NO_CAPACITY: 'file.FAILED',
  REFUSED: 'sandbox.UNREACHABLE',
  MACHINE_FAILED: 'sandbox.UNREACHABLE',
  UNREACHABLE: 'sandbox.UNREACHABLE',
}

/** After how long a caller should check whether the operator has freed space. */
const fullRetrySeconds = 10

/** Converts an error of a machine to the error that the caller gets. Other errors are returned unchanged. */
export function fileError(error: unknown): unknown {
  if (!(error instanceof MachineError)) return error
  const code = codes[error.code]
  if (error.code === 'UNREACHABLE')
    return new ApiError('sandbox.UNREACHABLE', { message: error.message, retryAfter: 1, cause: error })
  if (error.code === 'LACKS_AGENT') return new ApiError(code, { message: error.message, cause: error })
  if (code === 'sandbox.UNREACHABLE') return new ApiError(code, { retryAfter: 1, cause: error })
  if (code === 'node.DISK_FULL')
    return new ApiError(code, {
      message: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}. The operator has to free disk space.`,
      retryAfter: fullRetrySeconds,
      cause: error,
    })
  return new ApiError(code, { message: `The sandbox reported: ${error.message}.`, cause: error })
}

/** Runs work on the files of a machine, and converts its failures to API errors. */
export async function withFiles<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The caller has disconnected, so the failure must not be counted as one of the service.
    if (signal.aborted)
      throw new ApiError('request.MALFORMED', { message: 'The caller disconnected.', cause: error })
    throw fileError(error)
  }
}
