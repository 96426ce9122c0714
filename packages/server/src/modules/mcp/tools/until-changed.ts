import type { Screen } from '@sandglass/machines/contract'

/** Runs work, then waits until the screen has changed since the work began, or until the timeout. */
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
