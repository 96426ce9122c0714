import pg from 'pg'
import type { DatabaseAddress } from './address.ts'

/** The database accepted a query or a connection, and did not respond in time. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError'

  constructor() {
    super('the database does not answer')
  }
}

/** After this long without a response, a probe checks whether the database responds at all. */
const suspectAfterMs = 1000
/** The timeout of that probe. */
const probeTimeoutMs = 2000
const tickMs = 250

interface Wait {
  since: number
  readonly timeoutMs: number
  readonly giveUp: (error: DatabaseSilentError) => void
}

export interface WaitOptions {
  /** The maximum wait while the database responds to others. */
  readonly timeoutMs: number
  /** Runs when the wait has timed out, before the caller receives the error. */
  readonly onTimeout?: () => void
}

/**
 * Detects a database that does not respond. A slow statement does not count: if a response is a second late, a new
 * connection is tried. Only if that gets no response either, and nobody else got one in the meantime, the database is
 * silent. All waiting callers then fail at once, and so do new callers until a connection succeeds. While nobody
 * waits, nothing is sent.
 */
export class SilenceWatch {
  readonly #address: DatabaseAddress
  readonly #onSilence: () => void
  /** In the order in which they started. */
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

  /** Settles as the work does, or rejects with a {@link DatabaseSilentError} if the work takes too long. */
  during<T>(begin: () => Promise<T>, { timeoutMs, onTimeout }: WaitOptions): Promise<T> {
    if (this.#isSilent) return Promise.reject(new DatabaseSilentError())
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const wait: Wait = {
      since: performance.now(),
      timeoutMs,
      giveUp: error => {
        if (!this.#waits.delete(wait)) return
        onTimeout?.()
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
      // Read the responses that arrived while this process was busy or suspended before any wait is given up.
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
      if (waitedMs >= wait.timeoutMs) wait.giveUp(new DatabaseSilentError())
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

  /** A refused connection counts as a response, because callers who are refused receive the error without delay. */
  async #tryConnecting(): Promise<boolean> {
    const client = new pg.Client({ ...this.#address.config, application_name: 'sandglass-probe' })
    client.on('error', () => {})
    let isLate = false
    const giveUp = () => {
      isLate = true
      client.connection.stream.destroy()
    }
    const timer = setTimeout(() => setImmediate(giveUp), probeTimeoutMs).unref()
    await client.connect().catch(() => {})
    const isAnswering = !isLate
    // The timer is still needed: a database that falls silent now would never close the connection, and nothing would
    // probe it again.
    await client.end().catch(() => {})
    clearTimeout(timer)
    return isAnswering
  }
}
