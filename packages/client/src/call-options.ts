/** What every call accepts besides its input. */
export interface CallOptions {
  /** Ends the call. What the service has begun may still be done. */
  readonly signal?: AbortSignal | undefined
  /** The most that the call takes, with all its attempts. A stream only has to begin within it. */
  readonly timeoutMs?: number | undefined
  /** How often the call is made again at most, where that is safe. */
  readonly retries?: number | undefined
  /** Makes a create safe to repeat, also by another process. Without one, each call has a new one. */
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}
