/** Lets calls that overlap share one result, so that gauges which are read together agree. */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined
  return () => {
    current ??= read().finally(() => {
      current = undefined
    })
    return current
  }
}
