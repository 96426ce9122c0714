const firstMs = 250
const longestMs = 10_000

/** How long to wait before the attempt of this number, from 1 on: longer each time, and never the same for all viewers. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  return whole / 2 + (random() * whole) / 2
}

/** Waits so long, or less when the browser says that the network is back. */
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
