import type { Duplex } from 'node:stream'

/** How long one side may take to finish after the other has ended. */
const lingerMs = 10_000

/** Pipes two connections into each other until both have ended or either fails. */
export function join(one: Duplex, other: Duplex, onData: () => void, onEnd: () => void): void {
  let late: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(late)
    one.destroy()
    other.destroy()
    onEnd()
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('data', onData)
    from.once('end', () => {
      late ??= setTimeout(end, lingerMs)
    })
    from.once('error', end)
    from.once('close', () => {
      // Its last bytes may still be on their way to the other side.
      if (!from.readableEnded || to.destroyed || to.writableFinished) end()
    })
    from.pipe(to)
  }
}
