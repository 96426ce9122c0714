import { ApiError } from '@sandglass/protocol'
import type { Principal } from '../auth/principal.ts'

/** Work that takes less is not counted: it is cheaper than counting it, and the rate limit bounds how much there is. */
const countedMs = 2
/** How much time an organization can save up: what it gets in this many milliseconds. */
const savingMs = 4000
/** The longest time for which an organization has to wait. Without it, hours alone on the service would have to be paid. */
const maxWaitMs = 10_000
/** An organization shares the thread with others for this long after the last request of one of them. */
const sharedForMs = 10_000
/** The maximum number of organizations with a debt. The one whose debt began first is then forgotten. */
const maxOrganizations = 50_000

interface Account {
  /** How much time the organization has left. Negative if it has used more than its share. */
  leftMs: number
  at: number
}

interface Seen {
  readonly id: string
  at: number
}

/**
 * Bounds how much time of the thread that serves every request one organization can use while others use it too.
 * Requests of very different cost count the same for the rate limit, so it alone would let one organization delay all
 * others with large bodies.
 */
export class LoopTime {
  readonly #share: number
  readonly #usedMs: () => number
  readonly #accounts = new Map<string, Account>()
  #latest: Seen = { id: '', at: Number.NEGATIVE_INFINITY }
  /** The latest request of another organization than that of the latest request. */
  #other: Seen = this.#latest

  /**
   * `share` is the part of the thread that an organization can use in the long run, from 0 to 1. `usedMs` returns how
   * much processor time the thread has used since its last call.
   */
  constructor(share: number, usedMs = processorTime()) {
    this.#share = share
    this.#usedMs = usedMs
  }

  /** Charges work that began at `from` to the organization of the caller. */
  charge(principal: Principal | undefined, from: number, now = performance.now()): void {
    const tookMs = now - from
    if (tookMs < countedMs || principal === undefined || principal.kind === 'operator') return
    const { id } = principal.organization
    const account = this.#account(id, now) ?? this.#open(id, now)
    // On a busy host the thread waits for a processor, which is not the caller's doing.
    const ms = Math.min(tookMs, this.#usedMs())
    account.leftMs = Math.max(account.leftMs - ms, -maxWaitMs * this.#share)
  }

  /** Throws if the caller's organization has used more than its share, and says when it may continue. */
  admit(principal: Principal, now = performance.now()): void {
    if (principal.kind === 'operator') return
    const { id } = principal.organization
    this.#see(id, now)
    if (this.#accounts.size === 0 || now - this.#other.at > sharedForMs) return
    const account = this.#account(id, now)
    if (account === undefined || account.leftMs >= 0) return
    throw new ApiError('rate.LIMITED', {
      message: 'The requests of this organization have used more than its share of processing time.',
      retryAfter: Math.max(1, Math.ceil(-account.leftMs / this.#share / 1000)),
    })
  }

  #see(id: string, now: number): void {
    if (id === this.#latest.id) {
      this.#latest.at = now
      return
    }
    this.#other = this.#latest
    this.#latest = { id, at: now }
  }

  /** Returns the account with what was added to it since, or undefined if it is full again. */
  #account(id: string, now: number): Account | undefined {
    const account = this.#accounts.get(id)
    if (account === undefined) return undefined
    account.leftMs += (now - account.at) * this.#share
    account.at = now
    if (account.leftMs < savingMs * this.#share) return account
    this.#accounts.delete(id)
    return undefined
  }

  #open(id: string, now: number): Account {
    if (this.#accounts.size >= maxOrganizations) {
      const [first] = this.#accounts.keys()
      if (first !== undefined) this.#accounts.delete(first)
    }
    const account = { leftMs: savingMs * this.#share, at: now }
    this.#accounts.set(id, account)
    return account
  }
}

/** Returns how much processor time this thread has used since the last call. */
function processorTime(): () => number {
  let last = 0
  return () => {
    const { user, system } = process.threadCpuUsage()
    const now = (user + system) / 1000
    const used = now - last
    last = now
    return used
  }
}
