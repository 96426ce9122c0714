const firstMs = 250
const maxMs = 10_000

/**
 * How long to wait before the given attempt, counted from 1. The delay doubles with each attempt and is randomised, so
 * that not all viewers reconnect at the same moment.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** (attempt - 1))
  return fullMs / 2 + (random() * fullMs) / 2
}

/** Waits for `ms`, or less if the browser reports that the network is back. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = () => {
    clearTimeout(timer)
    removeEventListener('online', done)
    signal.removeEventListener('abort', done)
    resolve()
  }
  const timer = setTimeout(done, ms)
  addEventListener('online', done)
  signal.addEventListener('abort', done)
  return promise
}
