import type { Certificate } from './certificate.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Browsers accept a certificate by its hash only if it is valid for at most 14 days. */
export const validMs = 13 * dayMs
/** The age at which a certificate's successor is issued. */
export const renewedAtAgeMs = 10 * dayMs
/** A new certificate is served for this long before its hash is given out, so that its listener is up by then. */
export const leadMs = 10 * minuteMs
/**
 * Links with a hash are valid for at most an hour, so a certificate is served for longer than that after its hash was
 * last given out.
 */
export const graceMs = 70 * minuteMs

/** The state of the rotation at one point in time. */
export interface Rotation {
  /** The certificate whose hash is given out; undefined if one must be issued first. */
  readonly current: Certificate | undefined
  /** The certificates that clients may expect: the current one, its successor, and those given out recently. */
  readonly served: readonly Certificate[]
  /** Whether the next certificate must be issued now. */
  readonly isNextDue: boolean
  /** When this state changes next. */
  readonly changesAtMs: number
}

/** Computes the state of the rotation from the issued certificates, oldest first. */
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

/** A certificate is still served for a grace period after its successor's hash was first given out. */
function isInGracePeriod(successor: Certificate | undefined, nowMs: number): boolean {
  return successor !== undefined && successor.madeAtMs + leadMs + graceMs > nowMs
}
