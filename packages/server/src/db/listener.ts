import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { type DatabaseClock, type DatabaseTime, databaseTime } from './clock.ts'
import { FreshReads } from './fresh-reads.ts'
import { DatabaseSilentError } from './silence.ts'

/** How long after a heartbeat was sent its answer still vouches for the connection. */
const vouchedMs = 900
const heartbeatEveryMs = 300
/** The same while nobody asks, so that a connection that has gone silent is replaced also then. */
const idleHeartbeatEveryMs = 2000
/** A connection that does not answer for so long is replaced. */
const answerTimeoutMs = 3000
const retryMs = 250

/** What to do with what is announced, by the name of the channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

/**
 * One connection that hears what other processes announce. `isFresh` is true only while the connection is known to
 * be alive, by an answer of the server not a second old: whoever remembers things by it forgets within a second of
 * losing it, also when the network goes silent. Heartbeats go out often only while somebody asks. Their answers also
 * tell the time of the database.
 */
export class Listener {
  readonly #address: DatabaseAddress
  readonly #channels: Channels
  readonly #onLost: () => void
  readonly #clock: Pick<DatabaseClock, 'learn'> | undefined
  readonly #answers = new FreshReads<void>()
  #client: pg.Client | undefined
  #vouchedUntil = 0
  #heartbeatSentAt = 0
  #beats: Promise<void> = Promise.resolve()
  #beating = 0
  #retry: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(
    address: DatabaseAddress,
    channels: Channels,
    onLost: () => void,
    clock?: Pick<DatabaseClock, 'learn'>,
  ) {
    this.#address = address
    this.#channels = channels
    this.#onLost = onLost
    this.#clock = clock
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      ...this.#address.config,
      keepAlive: true,
      connectionTimeoutMillis: answerTimeoutMs,
      application_name: 'sandglass-listener',
    })
    client.on('notification', ({ channel, payload }) => this.#channels[channel]?.(payload ?? ''))
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    try {
      await client.connect()
      for (const channel of Object.keys(this.#channels))
        await answeredInTime(client, client.query(`LISTEN ${channel}`))
    } catch {
      client.connection.stream.destroy()
      this.#reconnectLater()
      return
    }
    if (this.#closed) return client.end()
    this.#client = client
    void this.#heartbeat(client)
    this.#idle ??= setInterval(() => this.#beatIfIdle(), idleHeartbeatEveryMs).unref()
  }

  /** `now` is a time of the monotonic clock: a clock that somebody sets back must not make old answers fresh. */
  isFresh(now = performance.now()): boolean {
    const client = this.#client
    if (!client) return false
    if (now - this.#heartbeatSentAt >= heartbeatEveryMs) this.#beatUnlessBeating(client)
    return now < this.#vouchedUntil
  }

  /**
   * Settles when all that was announced before the call has been heard: PostgreSQL sends that ahead of its answer to a
   * later query. A connection that has gone silent is waited for only until nothing is believed on its word any more.
   */
  caughtUp(): Promise<void> {
    return this.#answers.read('', async () => {
      if (!this.#client) return
      const answered = new AbortController()
      const doubted = delay(vouchedMs, undefined, { signal: answered.signal }).catch(() => {})
      await Promise.race([this.#heartbeat(this.#client), doubted])
      answered.abort()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    clearInterval(this.#idle)
    const client = this.#client
    if (client) await answeredInTime(client, client.end()).catch(() => {})
  }

  #beatIfIdle(): void {
    const isDue = performance.now() - this.#heartbeatSentAt >= idleHeartbeatEveryMs / 2
    if (this.#client && isDue) this.#beatUnlessBeating(this.#client)
  }

  #beatUnlessBeating(client: pg.Client): void {
    if (this.#beating === 0) void this.#heartbeat(client)
  }

  /** One after the other: an answer tells of what was announced before its question was sent, and nothing later. */
  #heartbeat(client: pg.Client): Promise<void> {
    this.#beating++
    this.#beats = this.#beats.then(() => this.#beat(client)).finally(() => this.#beating--)
    return this.#beats
  }

  async #beat(client: pg.Client): Promise<void> {
    if (this.#client !== client) return
    const sentAt = performance.now()
    this.#heartbeatSentAt = sentAt
    try {
      const { rows } = await answeredInTime(client, client.query<DatabaseTime>(databaseTime))
      if (rows[0]) this.#clock?.learn(rows[0].ms, sentAt)
      this.#vouchedUntil = sentAt + vouchedMs
    } catch {
      this.#lose(client)
    }
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#vouchedUntil = 0
    this.#onLost()
    client.connection.stream.destroy()
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (this.#closed) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.connect(), retryMs)
  }
}

/** Destroys a connection that does not answer in time, so that whoever waits for it hears that it is lost. */
async function answeredInTime<T>(client: pg.Client, answer: Promise<T>): Promise<T> {
  let isAnswered = false
  const destroy = () => isAnswered || client.connection.stream.destroy(new DatabaseSilentError())
  // An answer that came while this process was busy or stopped is read first.
  const timer = setTimeout(() => setImmediate(destroy), answerTimeoutMs)
  try {
    return await answer
  } finally {
    isAnswered = true
    clearTimeout(timer)
  }
}
