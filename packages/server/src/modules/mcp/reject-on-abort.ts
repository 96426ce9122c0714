/**
 * Rejects with the reason of a signal when it is aborted, so that a caller can stop waiting for work that may never
 * end.
 */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
