import { setTimeout as delay } from 'node:timers/promises'
import { Supervised } from '@sandglass/supervision'
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
/** A database that was started again takes connections within a second. */
const backoff = { firstMs: 250, maxMs: 1000, steadyMs: 0 }

/** What to do with what is announced, by the name of the channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

interface Connection {
  readonly client: pg.Client
  readonly ended: Promise<void>
}

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
  readonly #connections: Supervised<Connection>
  #vouchedUntil = 0
  #heartbeatSentAt = 0
  #beats: Promise<void> = Promise.resolve()
  #beating = 0
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
    this.#connections = new Supervised({
      open: () => this.#open(),
      ended: connection => connection.ended,
      close: ({ client }) => void client.connection.stream.destroy(),
      backoff,
    })
  }

  /** Settles when it hears, or when the first attempt has failed; further ones follow. */
  async connect(): Promise<void> {
    this.#connections.hold()
    await this.#connections.get().catch(() => {})
    this.#idle ??= setInterval(() => this.#beatIfIdle(), idleHeartbeatEveryMs).unref()
  }

  async #open(): Promise<Connection> {
    const client = new pg.Client({
      ...this.#address.config,
      keepAlive: true,
      connectionTimeoutMillis: answerTimeoutMs,
      application_name: 'sandglass-listener',
    })
    client.on('notification', ({ channel, payload }) => this.#channels[channel]?.(payload ?? ''))
    const ended = new Promise<void>(resolve => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
    })
    try {
      await client.connect()
      for (const channel of Object.keys(this.#channels))
        await answeredInTime(client, client.query(`LISTEN ${channel}`))
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    const connection = { client, ended }
    // Once it is the current one.
    setImmediate(() => void this.#heartbeat(connection))
    void ended.then(() => this.#onEnd())
    return connection
  }

  /** `now` is a time of the monotonic clock: a clock that somebody sets back must not make old answers fresh. */
  isFresh(now = performance.now()): boolean {
    const connection = this.#connections.current
    if (!connection) return false
    if (now - this.#heartbeatSentAt >= heartbeatEveryMs) this.#beatUnlessBeating(connection)
    return now < this.#vouchedUntil
  }

  /**
   * Settles when all that was announced before the call has been heard: PostgreSQL sends that ahead of its answer to a
   * later query. A connection that has gone silent is waited for only until nothing is believed on its word any more.
   */
  caughtUp(): Promise<void> {
    return this.#answers.read('', async () => {
      const connection = this.#connections.current
      if (!connection) return
      const answered = new AbortController()
      const doubted = delay(vouchedMs, undefined, { signal: answered.signal }).catch(() => {})
      await Promise.race([this.#heartbeat(connection), doubted])
      answered.abort()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#idle)
    const client = this.#connections.current?.client
    if (client) await answeredInTime(client, client.end()).catch(() => {})
    this.#connections.close()
  }

  #beatIfIdle(): void {
    const isDue = performance.now() - this.#heartbeatSentAt >= idleHeartbeatEveryMs / 2
    const connection = this.#connections.current
    if (connection && isDue) this.#beatUnlessBeating(connection)
  }

  #beatUnlessBeating(connection: Connection): void {
    if (this.#beating === 0) void this.#heartbeat(connection)
  }

  /** One after the other: an answer tells of what was announced before its question was sent, and nothing later. */
  #heartbeat(connection: Connection): Promise<void> {
    this.#beating++
    this.#beats = this.#beats.then(() => this.#beat(connection)).finally(() => this.#beating--)
    return this.#beats
  }

  async #beat(connection: Connection): Promise<void> {
    if (this.#connections.current !== connection) return
    const { client } = connection
    const sentAt = performance.now()
    this.#heartbeatSentAt = sentAt
    try {
      const { rows } = await answeredInTime(client, client.query<DatabaseTime>(databaseTime))
      if (rows[0]) this.#clock?.learn(rows[0].ms, sentAt)
      this.#vouchedUntil = sentAt + vouchedMs
    } catch (error) {
      this.#connections.replace(connection, error)
    }
  }

  #onEnd(): void {
    this.#vouchedUntil = 0
    if (!this.#closed) this.#onLost()
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
