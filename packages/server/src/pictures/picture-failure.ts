import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { isOutOfSpace, outOfSpace } from './storage-state.ts'

/** Returns what a caller is told who fetches a picture that could not be encoded or stored. */
export function failureOf(cause: unknown): ApiError {
  // The worker that had the frame ended before it was encoded.
  if (cause instanceof MachineError && cause.code === 'UNREACHABLE')
    return new ApiError('screenshot.NOT_FOUND', {
      message: 'This screenshot was lost before it was stored, because the process that took it ended.',
      cause,
    })
  return isOutOfSpace(cause) ? outOfSpace(cause) : new ApiError('screenshot.FAILED', { cause })
}
