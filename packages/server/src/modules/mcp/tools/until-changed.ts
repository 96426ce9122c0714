import type { RunningScreen } from '@sandglass/workers/contract'

/** Runs work, then waits until the screen has changed since the work began, or until the timeout. */
export async function untilChanged(
  screen: RunningScreen,
  { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  const watch = await screen.watchForChange()
  const late = AbortSignal.any([signal, AbortSignal.timeout(maxMs)])
  const stopped = new Promise<void>(resolve =>
    late.addEventListener('abort', () => resolve(), { once: true }),
  )
  try {
    await work()
    await Promise.race([watch.changed, stopped])
    signal.throwIfAborted()
  } finally {
    watch.stop()
  }
}
