import type { Screen } from '@sandglass/machines/contract'

/** Watches a screen; the function that comes back settles when it has changed since, or the time is over. */
export async function firstChange(
  screen: Screen,
  mostMs: number,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unwatch = await screen.watch(() => resolve())
  return async () => {
    const timer = setTimeout(resolve, mostMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
    unwatch()
    signal.throwIfAborted()
  }
}
