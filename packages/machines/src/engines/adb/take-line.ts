import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** No line of ours is longer. */
const longest = 64 * 1024

/** Takes the next line off a stream, without its end; undefined where the stream ends, or the line does not. */
export async function takeLine(from: Readable, signal?: AbortSignal): Promise<string | undefined> {
  let held = Buffer.alloc(0)
  while (held.length <= longest) {
    const chunk: Buffer | null = from.read()
    if (chunk) held = Buffer.concat([held, chunk])
    const end = held.indexOf('\n')
    if (end !== -1) {
      const rest = held.subarray(end + 1)
      if (rest.length > 0) from.unshift(rest)
      return held.subarray(0, end).toString().trimEnd()
    }
    if (from.readableEnded || from.destroyed) return undefined
    if (!chunk) {
      const stop = new AbortController()
      const either = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
      await Promise.race([
        once(from, 'readable', { signal: either }),
        once(from, 'end', { signal: either }),
      ]).finally(() => stop.abort())
    }
  }
  return undefined
}
