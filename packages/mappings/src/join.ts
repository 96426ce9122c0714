import type { Duplex } from 'node:stream'

/** Once one side has said all that it will, the other has so long to finish. */
const lingerMs = 10_000

/** Both ways between two connections until both have ended, or either breaks. */
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
      // What it said last may still be on its way to the other.
      if (!from.readableEnded || to.destroyed || to.writableFinished) end()
    })
    from.pipe(to)
  }
}
