import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { unavailability } from '../../db/faults.ts'

/** Returns the error for the caller if an engine or a machine cannot be reached, and undefined for any other cause. */
export function engineFailure(cause: unknown): ApiError | undefined {
  if (!(cause instanceof MachineError) || cause.code !== 'UNREACHABLE') return undefined
  return new ApiError('sandbox.UNREACHABLE', { message: cause.message, retryAfter: 1, cause })
}

/** The Retry-After of what a full disk prevents. */
const diskRetrySeconds = 30

/** Returns the error for the caller if the disk of the host has no space, and undefined for any other cause. */
export function diskFailure(cause: unknown): ApiError | undefined {
  if (!(cause instanceof MachineError) || !diskCodes.has(cause.code)) return undefined
  return new ApiError('node.DISK_FULL', { message: cause.message, retryAfter: diskRetrySeconds, cause })
}

const diskCodes = new Set(['HOST_FULL', 'NO_SPACE', 'NO_CAPACITY'])

/**
 * Returns the error for the caller if work on a disk ended because the database was away, and undefined for any other cause. What the
 * work is for has been recorded by then.
 */
export function recordFailure(cause: unknown, lost: string): ApiError | undefined {
  const reason = unavailability(cause)
  if (reason === undefined) return undefined
  return new ApiError('service.UNAVAILABLE', { message: `${reason}. ${lost}`, retryAfter: 1, cause })
}
