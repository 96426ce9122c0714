import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { MachineError } from '../../contract/errors.ts'

/** No line of ours is longer. */
const longest = 64 * 1024
/** A device that is there answers within this. */
export const answerMs = 10_000

export interface LineOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait for it; for ever unless given. */
  readonly patienceMs?: number
}

/** Takes the next line off a stream, without its end; undefined where the stream ends, or the line does not. */
export async function takeLine(
  from: Readable,
  { signal, patienceMs }: LineOptions = {},
): Promise<string | undefined> {
  const late = patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs)
  try {
    return await lineOf(
      from,
      [signal, late].filter(one => one !== undefined),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (!late?.aborted) throw error
    throw new MachineError(
      'MACHINE_FAILED',
      `The device did not answer within ${Number(patienceMs) / 1000} s.`,
    )
  }
}

async function lineOf(from: Readable, signals: readonly AbortSignal[]): Promise<string | undefined> {
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
    if (!chunk) await change(from, signals)
  }
  return undefined
}

async function change(from: Readable, signals: readonly AbortSignal[]): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, ...signals])
  const either = [once(from, 'readable', { signal }), once(from, 'end', { signal })]
  try {
    await Promise.race(either)
  } finally {
    stop.abort()
    await Promise.allSettled(either)
  }
}
