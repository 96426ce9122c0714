import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

/** What the caller is told where an engine, or the network to a machine, is away; undefined for any other error. */
export function engineFailure(cause: unknown): ApiError | undefined {
  if (!(cause instanceof MachineError) || cause.code !== 'UNREACHABLE') return undefined
  return new ApiError('sandbox.UNREACHABLE', { message: cause.message, retryAfter: 1, cause })
}
