import type { Screen } from '@sandglass/machines/contract'

/** Does some work, then waits until the screen has changed since it began, or the time is over. */
export async function untilChanged(
  screen: Screen,
  { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unwatch = await screen.watch(() => resolve())
  const stop = () => resolve()
  signal.addEventListener('abort', stop)
  const timer = setTimeout(stop, maxMs)
  try {
    await work()
    await promise
    signal.throwIfAborted()
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    unwatch()
  }
}
