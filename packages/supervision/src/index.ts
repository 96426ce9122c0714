export { Backoff, type BackoffOptions } from './backoff.ts'
export { KeyedMutex, type KeyedMutexOptions } from './keyed-mutex.ts'
export { type Failure, Supervised, type Supervision } from './supervised.ts'
export { TenantQueue } from './tenant-queue.ts'
