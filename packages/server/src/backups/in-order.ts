/** How many chunks are worked on at once, because most of the time is spent waiting for the storage. */
const maxConcurrent = 6

/** Works on several items at once, and yields the results in the order of the items. Stops at the first failure. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // Whoever waits for it gets the error, which may be after another one has failed.
      result.catch(() => {})
      running.push(result)
      const first = running.length < maxConcurrent ? undefined : running.shift()
      if (first) yield await first
    }
    for (let first = running.shift(); first; first = running.shift()) yield await first
  } finally {
    await Promise.allSettled(running)
  }
}
