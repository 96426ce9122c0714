import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

/** Returns the error for the caller if an engine or a machine cannot be reached, and undefined for any other cause. */
export function engineFailure(cause: unknown): ApiError | undefined {
  if (!(cause instanceof MachineError) || cause.code !== 'UNREACHABLE') return undefined
  return new ApiError('sandbox.UNREACHABLE', { message: cause.message, retryAfter: 1, cause })
}
