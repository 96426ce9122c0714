import { ApiError } from '@sandglass/protocol'
import type { KeyedMutexOptions } from '@sandglass/supervision'

/** Actions on one machine happen one after the other; a caller that queues more than this has made a mistake. */
export const actionQueue: KeyedMutexOptions = {
  maxWaiting: 100,
  tooMany: () => new ApiError('action.TOO_MANY', { retryAfter: 1 }),
}
