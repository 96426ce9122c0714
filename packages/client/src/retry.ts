import { ConnectionError, RateLimitError, SandglassError, TimeoutError, UnavailableError } from './errors.ts'

const firstWaitMs = 100
const longestWaitMs = 5000
/** A caller would rather know than wait for longer than this. */
const longestRetryAfterSeconds = 60

export interface Attempted {
  /** How many attempts have failed. */
  readonly failures: number
  /** A second attempt does what the first would have done. */
  readonly isRepeatable: boolean
}

/** Returns how long to wait before the next attempt, or undefined if there must be none. */
export function waitBeforeRetry(error: unknown, { failures, isRepeatable }: Attempted): number | undefined {
  if (!(error instanceof SandglassError) || error instanceof TimeoutError) return undefined
  if (!(isRepeatable ? isPassing(error) : wasRefused(error))) return undefined
  const { retryAfterSeconds } = error
  if (retryAfterSeconds === undefined) return backOff(failures)
  if (retryAfterSeconds > longestRetryAfterSeconds) return undefined
  return retryAfterSeconds * 1000 + Math.random() * firstWaitMs
}

/** Whether the service may have done what this attempt told it, although it did not say so. */
export function mayBeDone(error: unknown): boolean {
  return error instanceof SandglassError && isPassing(error) && !wasRefused(error)
}

/** What may be different in a moment. */
function isPassing(error: SandglassError): boolean {
  if (error instanceof ConnectionError) return error.code !== 'client.UNTRUSTED'
  if (error instanceof UnavailableError || error.code === 'idempotency.IN_PROGRESS') return true
  return error instanceof RateLimitError && error.retryAfterSeconds !== undefined
}

/** The service says so with Retry-After. A node that does not answer may have done what it was told. */
function wasRefused(error: SandglassError): boolean {
  if (error.code === 'client.NOT_SENT') return true
  const isRefusal = error instanceof RateLimitError || error instanceof UnavailableError
  return (
    isRefusal && error.retryAfterSeconds !== undefined && !['node.GONE', 'client.PROXY'].includes(error.code)
  )
}

/** With some chance, so that callers that failed together do not return together. */
function backOff(failures: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
}
