import pg from 'pg'
import type { DatabaseAddress } from './address.ts'

/** The database accepted a question, or a connection, and gave no answer in time. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError'

  constructor() {
    super('the database does not answer')
  }
}

/** After so long without an answer somebody asks whether the database answers at all. */
const suspectAfterMs = 1000
/** How long the database has for that. */
const probeMs = 2000
const tickMs = 250

interface Wait {
  since: number
  readonly limitMs: number
  readonly giveUp: (error: DatabaseSilentError) => void
}

export interface WaitOptions {
  /** How long to wait while the database answers others. */
  readonly limitMs: number
  /** Runs when the wait is given up, before the caller hears of it. */
  readonly onGivenUp?: () => void
}

/**
 * Knows whether the database answers. A slow statement is no silence: where an answer is a second late, a new connection is
 * tried, and only where that gets no answer either, and nobody else got one meanwhile, the database is silent. Everybody
 * who waits for it then fails at once, and so does whoever asks, until a new connection succeeds. While nobody waits,
 * nothing is asked.
 */
export class SilenceWatch {
  readonly #address: DatabaseAddress
  readonly #onSilence: () => void
  /** In the order in which they began. */
  readonly #waits = new Set<Wait>()
  #timer: NodeJS.Timeout | undefined
  #isProbing = false
  #isSilent = false
  #answers = 0
  #isClosed = false

  constructor(address: DatabaseAddress, onSilence: () => void) {
    this.#address = address
    this.#onSilence = onSilence
  }

  /** Settles as the work does, or rejects with a {@link DatabaseSilentError} when the work has waited for too long. */
  during<T>(begin: () => Promise<T>, { limitMs, onGivenUp }: WaitOptions): Promise<T> {
    if (this.#isSilent) return Promise.reject(new DatabaseSilentError())
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const wait: Wait = {
      since: performance.now(),
      limitMs,
      giveUp: error => {
        if (!this.#waits.delete(wait)) return
        onGivenUp?.()
        reject(error)
      },
    }
    this.#waits.add(wait)
    begin().then(
      value => {
        this.#waits.delete(wait)
        this.#answers++
        resolve(value)
      },
      error => {
        this.#waits.delete(wait)
        reject(error)
      },
    )
    if (!this.#timer && !this.#isClosed) this.#arm()
    return promise
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    const due = performance.now() + tickMs
    this.#timer = setTimeout(() => {
      // Answers that came while this process was busy or stopped are read before anybody is given up.
      setImmediate(() => this.#look(performance.now() - due))
    }, tickMs).unref()
  }

  /** Time in which this process did not run does not count as waiting. */
  #look(lateMs: number): void {
    this.#timer = undefined
    if (this.#isClosed) return
    if (lateMs > tickMs) for (const wait of this.#waits) wait.since += lateMs
    const now = performance.now()
    for (const wait of this.#waits) {
      const waitedMs = now - wait.since
      if (waitedMs < suspectAfterMs) break
      if (waitedMs >= wait.limitMs) wait.giveUp(new DatabaseSilentError())
      else void this.#probe()
    }
    if (this.#waits.size > 0) this.#arm()
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    do {
      const before = this.#answers
      const isAnswering = await this.#tryConnecting()
      if (isAnswering || this.#answers > before) this.#isSilent = false
      else if (!this.#isSilent) this.#fallSilent()
    } while (this.#isSilent && !this.#isClosed)
    this.#isProbing = false
  }

  #fallSilent(): void {
    this.#isSilent = true
    for (const wait of [...this.#waits]) wait.giveUp(new DatabaseSilentError())
    this.#onSilence()
  }

  /** Also a refusal is an answer: whoever is refused hears of it without delay. */
  async #tryConnecting(): Promise<boolean> {
    const client = new pg.Client({ ...this.#address.config, application_name: 'sandglass-probe' })
    client.on('error', () => {})
    const { promise: late, resolve: giveUp } = Promise.withResolvers<false>()
    const timer = setTimeout(() => setImmediate(giveUp, false), probeMs).unref()
    const answered = client.connect().then(
      () => true,
      () => true,
    )
    const isAnswering = await Promise.race([answered, late])
    clearTimeout(timer)
    if (isAnswering) await client.end().catch(() => {})
    else client.connection.stream.destroy()
    return isAnswering
  }
}
