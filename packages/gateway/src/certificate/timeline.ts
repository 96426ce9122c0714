import type { Certificate } from './certificate.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Browsers take by its hash what is valid for 14 days and no more. */
export const validMs = 13 * dayMs
/** A certificate gets its successor at this age. */
export const renewedAtAgeMs = 10 * dayMs
/** For so long a new one is only served; what serves it is up when its hash is first given out. */
export const leadMs = 10 * minuteMs
/** What is given out with a hash lasts an hour at most; so its certificate is served for longer after the last time. */
export const graceMs = 70 * minuteMs

/** What holds at a moment. */
export interface Rotation {
  /** The one whose hash is given out; none where a new one has to be made first. */
  readonly current: Certificate | undefined
  /** Those that a client may come for: the current one, its successor, those given out not long ago. */
  readonly served: readonly Certificate[]
  /** Whether the next one has to be made now. */
  readonly isNextDue: boolean
  /** When something of this changes. */
  readonly changesAtMs: number
}

/** Reads a moment out of the certificates that were made, the oldest first. */
export function rotationAt(certificates: readonly Certificate[], nowMs: number): Rotation {
  const usable = certificates.filter(({ expiresAtMs }) => expiresAtMs - leadMs - graceMs > nowMs)
  const current = usable.findLast(({ madeAtMs }) => madeAtMs + leadMs <= nowMs) ?? usable[0]
  const newest = usable.at(-1)
  if (!current || !newest) return { current, served: [], isNextDue: true, changesAtMs: nowMs }
  const from = usable.indexOf(current)
  const served = usable.filter((_, at) => at >= from || isInGracePeriod(usable[at + 1], nowMs))
  const changes = [
    newest.madeAtMs + renewedAtAgeMs,
    ...served.flatMap(({ madeAtMs }) => [madeAtMs + leadMs, madeAtMs + leadMs + graceMs]),
  ]
  return {
    current,
    served,
    isNextDue: newest.madeAtMs + renewedAtAgeMs <= nowMs,
    changesAtMs: Math.min(...changes.filter(at => at > nowMs)),
  }
}

/** A certificate is honoured for a while after its successor's hash was first given out. */
function isInGracePeriod(successor: Certificate | undefined, nowMs: number): boolean {
  return successor !== undefined && successor.madeAtMs + leadMs + graceMs > nowMs
}
