import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { FreshReads } from '../db/fresh-reads.ts'
import type { Listener } from '../db/listener.ts'
import { VouchedCache } from '../db/vouched-cache.ts'
import type { Authenticator } from './authenticator.ts'
import type { Principal } from './principal.ts'
import { hexHashOf } from './secret.ts'
import type { Verified } from './stored-credentials.ts'
import { findSession, recordSessionUse } from './stored-sessions.ts'

export interface SessionsParts {
  readonly db: Database
  readonly listener: Pick<Listener, 'isFresh'>
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly keys: Pick<Authenticator, 'recordUse'>
  /** A session that was not used for this long has ended. */
  readonly idleSeconds: number
}

/** Finds who uses a session. What is cached is forgotten when any credential changes, because a session depends on another one. */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #known = new VouchedCache<Verified | undefined>()
  readonly #reads = new FreshReads<Verified | undefined>()
  readonly #used = new Set<string>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
  }

  get idleSeconds(): number {
    return this.#parts.idleSeconds
  }

  /** Returns undefined if the session is unknown or has ended, or if the credential that it stands for has. */
  identify(secret: string): Principal | undefined | Promise<Principal | undefined> {
    const { db, listener, idleSeconds } = this.#parts
    const hash = hexHashOf(secret)
    const cached = this.#known.recall(hash, listener)
    if (cached) return this.#user(cached)
    const find = () =>
      this.#reads.read(hash, () => findSession(db, { hash: Buffer.from(hash, 'hex') }, idleSeconds))
    return this.#known.get(hash, listener, find).then(found => found && this.#user(found))
  }

  #user({ principal, expiresAt }: Verified): Principal | undefined {
    if (expiresAt !== null && expiresAt.getTime() <= this.#parts.clock.now()) return undefined
    if (principal.session) this.#used.add(principal.session.id)
    if (principal.kind === 'apiKey') this.#parts.keys.recordUse(principal.id)
    return principal
  }

  forgetAll(): void {
    this.#known.forgetAll()
  }

  /** Stores the time of last use of the sessions that were used since the previous call, and of those that have something open. */
  async flush(open: readonly string[]): Promise<void> {
    const used = [...new Set([...this.#used, ...open])]
    this.#used.clear()
    if (used.length > 0) await recordSessionUse(this.#parts.db, used)
  }
}
