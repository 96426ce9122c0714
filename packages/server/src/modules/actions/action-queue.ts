import { ApiError } from '@sandglass/protocol'
import type { KeyedMutexOptions } from '@sandglass/supervision'

/**
 * Actions on one machine run one after the other. A caller that queues more than this has most likely made a mistake.
 */
export const actionQueue: KeyedMutexOptions = {
  maxWaiting: 100,
  tooMany: () => new ApiError('action.TOO_MANY', { retryAfter: 1 }),
}
