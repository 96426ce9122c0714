export { Backoff, type BackoffOptions } from './backoff.ts'
export { type Failure, Supervised, type Supervision } from './supervised.ts'
