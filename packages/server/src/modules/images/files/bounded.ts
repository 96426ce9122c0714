/** Passes on what arrives, until it is too much, or the work has to end although the sender is silent. */
export async function* bounded(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, tooLarge, signal }: { maxBytes: number; tooLarge: () => Error; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const arriving = source[Symbol.asyncIterator]()
  let end = () => {}
  const onAbort = () => end()
  signal.addEventListener('abort', onAbort)
  try {
    for (let left = maxBytes; ; ) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        end = () => reject(signal.reason)
        arriving.next().then(resolve, reject)
      })
      if (next.done) return
      left -= next.value.length
      if (left < 0) throw tooLarge()
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
