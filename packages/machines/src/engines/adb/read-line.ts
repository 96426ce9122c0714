import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { MachineError } from '../../contract/errors.ts'

/** No line that is read here is longer. */
const maxLineLength = 64 * 1024
/** How long a device may take to answer. */
export const answerTimeoutMs = 10_000

export interface LineOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait for the line; without it, there is no timeout. */
  readonly timeoutMs?: number
}

/**
 * Reads the next line of a stream, without its line break. Returns undefined if the stream ends first, or the line is
 * too long.
 */
export async function readLine(
  from: Readable,
  { signal, timeoutMs }: LineOptions = {},
): Promise<string | undefined> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  try {
    return await lineOf(
      from,
      [signal, timeout].filter(one => one !== undefined),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (!timeout?.aborted) throw error
    throw new MachineError(
      'MACHINE_FAILED',
      `The device did not answer within ${Number(timeoutMs) / 1000} s.`,
    )
  }
}

async function lineOf(from: Readable, signals: readonly AbortSignal[]): Promise<string | undefined> {
  let held = Buffer.alloc(0)
  while (held.length <= maxLineLength) {
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
