/** Passes values on, and undefined whenever none has come for some time. */
export async function* withIdle<T>(values: AsyncIterable<T>, idleMs: number): AsyncGenerator<T | undefined> {
  const iterator = values[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const idle = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => idle.resolve(undefined), idleMs)
      const result = await Promise.race([next, idle.promise]).finally(() => clearTimeout(timer))
      if (result === undefined) yield undefined
      else if (result.done) return
      else {
        next = iterator.next()
        yield result.value
      }
    }
  } finally {
    await iterator.return?.()
  }
}
