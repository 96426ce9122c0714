import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'
import type { Prepared } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { type HeldCredential, keyOf } from './held-credential.ts'
import { selectValid } from './valid-credentials.ts'

const retryMs = 250
/** How often to check while announcements may be missed because the listener's connection is silent. */
const staleCheckMs = 500
/** The longest time that a timer can be set to. */
const maxTimerMs = 2 ** 31 - 1

interface Entry {
  credential: HeldCredential
  timer: NodeJS.Timeout | undefined
  /** Each function ends something that is open. */
  readonly ends: Set<() => void>
}

/**
 * What each credential has open in this process: calls, streams and connections. They end when the credential expires,
 * and when it is revoked or deleted, which the database announces to every process. While it is not certain that
 * announcements arrive, the database is asked instead.
 */
export class OpenByCredential {
  readonly #prepared: Prepared
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #log: Logger
  readonly #entries = new Map<string, Entry>()
  readonly #timer: NodeJS.Timeout
  #changes = 0
  #checksWanted = 0
  #isChecking = false
  #isClosed = false

  constructor(
    prepared: Prepared,
    listener: Pick<Listener, 'isFresh'>,
    clock: Pick<DatabaseClock, 'now'>,
    log: Logger,
  ) {
    this.#prepared = prepared
    this.#listener = listener
    this.#clock = clock
    this.#log = log
    this.#timer = setInterval(() => this.#checkIfStale(), staleCheckMs).unref()
  }

  /** The number of things that are open. */
  get count(): number {
    let count = 0
    for (const { ends } of this.#entries.values()) count += ends.size
    return count
  }

  /** The ids of the sessions that have something open. */
  get sessions(): string[] {
    const held = [...this.#entries.values()].map(({ credential }) => credential)
    return held.filter(({ kind }) => kind === 'session').map(({ id }) => id)
  }

  /** The number of announced changes. Read it before a credential is verified, and pass it to {@link enter}. */
  get changes(): number {
    return this.#changes
  }

  /**
   * Registers something that ends with a credential. Returns a function that removes it. A change that was announced
   * while the credential was being verified may have revoked it, so it is checked again.
   */
  enter(credential: HeldCredential, end: () => void, changesBefore = this.#changes): () => void {
    const key = keyOf(credential)
    const entry = this.#entries.get(key) ?? this.#add(key, credential)
    const { ends } = entry
    ends.add(end)
    if (changesBefore !== this.#changes) void this.#check()
    return () => {
      if (ends.delete(end) && ends.size === 0) this.#forget(key, entry)
    }
  }

  #add(key: string, credential: HeldCredential): Entry {
    const entry: Entry = { credential, timer: undefined, ends: new Set() }
    this.#entries.set(key, entry)
    this.#watchExpiry(key, entry)
    return entry
  }

  /** Call this when a credential has changed, and when announcements may have been missed. */
  changed(): void {
    this.#changes++
    void this.#check()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const [key, entry] of this.#entries) this.#forget(key, entry)
  }

  #checkIfStale(): void {
    if (this.#entries.size > 0 && !this.#listener.isFresh()) void this.#check()
  }

  /** Asks the database about all credentials at once, and again if another check was wanted in the meantime. */
  async #check(): Promise<void> {
    this.#checksWanted++
    if (this.#isChecking) return
    this.#isChecking = true
    let failures = 0
    for (let done = 0; done !== this.#checksWanted && this.#entries.size > 0 && !this.#isClosed; ) {
      const wanted = this.#checksWanted
      try {
        await this.#endInvalid()
        done = wanted
      } catch (error) {
        if (failures++ === 0)
          this.#log.warn({ error }, 'it could not be checked which credentials are still valid')
        await delay(retryMs, undefined, { ref: false })
      }
    }
    this.#isChecking = false
  }

  async #endInvalid(): Promise<void> {
    const asked = [...this.#entries.values()].map(({ credential }) => credential)
    const valid = await selectValid(this.#prepared, asked)
    for (const [at, credential] of asked.entries()) {
      const key = keyOf(credential)
      const entry = this.#entries.get(key)
      const current = valid[at]
      if (!entry) continue
      if (current) {
        entry.credential = current
        this.#watchExpiry(key, entry)
      } else this.#end(key, entry)
    }
  }

  #watchExpiry(key: string, entry: Entry): void {
    clearTimeout(entry.timer)
    const { expiresAt } = entry.credential
    if (expiresAt === null) return
    const leftMs = Math.max(0, expiresAt.getTime() - this.#clock.now())
    entry.timer = setTimeout(
      () => {
        if (expiresAt.getTime() <= this.#clock.now()) this.#end(key, entry)
        else this.#watchExpiry(key, entry)
      },
      Math.min(leftMs, maxTimerMs),
    ).unref()
  }

  #end(key: string, entry: Entry): void {
    this.#forget(key, entry)
    for (const end of entry.ends) end()
  }

  #forget(key: string, entry: Entry): void {
    clearTimeout(entry.timer)
    // The credential may have another entry by now.
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}
