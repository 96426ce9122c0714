import { setTimeout as delay } from 'node:timers/promises'
import { Supervised } from '@sandglass/supervision'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { type DatabaseClock, type DatabaseTime, databaseTime } from './clock.ts'
import { FreshReads } from './fresh-reads.ts'
import { DatabaseSilentError } from './silence.ts'

/** A heartbeat proves that the connection is alive for this long after it was sent. */
const freshMs = 900
const heartbeatEveryMs = 300
/** The interval while nobody uses the listener. Without it, a silent connection would not be noticed and replaced. */
const idleHeartbeatEveryMs = 2000
/** A connection that does not respond for this long is replaced. */
const answerTimeoutMs = 3000
/** Retry quickly, because a restarted database accepts connections within a second. */
const backoff = { firstMs: 250, maxMs: 1000, steadyMs: 0 }

/** The handlers of announcements, by channel name. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

export interface ListenerOptions {
  readonly clock?: Pick<DatabaseClock, 'learn'>
  /** Called when announcements are received again. Those since the connection was lost were missed. */
  readonly onConnect?: () => void
}

interface Connection {
  readonly client: pg.Client
  readonly ended: Promise<void>
}

/**
 * A connection that receives what other processes announce. `isFresh` is true only while the connection is known to
 * be alive, because the server responded less than a second ago. A cache that relies on it therefore stops trusting
 * its entries within a second of losing the connection, even if the network just goes silent. Heartbeats are frequent
 * only while somebody uses the listener. Their responses also synchronise the clock with the database.
 */
export class Listener {
  readonly #address: DatabaseAddress
  readonly #channels: Channels
  readonly #onLost: () => void
  readonly #clock: Pick<DatabaseClock, 'learn'> | undefined
  readonly #onConnect: () => void
  readonly #answers = new FreshReads<void>()
  readonly #connections: Supervised<Connection>
  #freshUntil = 0
  #heartbeatSentAt = 0
  #heartbeats: Promise<void> = Promise.resolve()
  #pendingHeartbeats = 0
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(
    address: DatabaseAddress,
    channels: Channels,
    onLost: () => void,
    { clock, onConnect = () => {} }: ListenerOptions = {},
  ) {
    this.#address = address
    this.#channels = channels
    this.#onLost = onLost
    this.#clock = clock
    this.#onConnect = onConnect
    this.#connections = new Supervised({
      open: () => this.#open(),
      ended: connection => connection.ended,
      close: ({ client }) => void client.connection.stream.destroy(),
      backoff,
    })
  }

  /**
   * Settles when the listener is connected, or when the first attempt has failed. Further attempts follow in the
   * background.
   */
  async connect(): Promise<void> {
    this.#connections.hold()
    await this.#connections.get().catch(() => {})
    this.#idle ??= setInterval(() => this.#heartbeatIfIdle(), idleHeartbeatEveryMs).unref()
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
      // Whatever would be told of the connection may be closed as well.
      if (this.#closed) throw new Error('the listener was closed')
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    const connection = { client, ended }
    this.#onConnect()
    // Send the first heartbeat after this connection has become the current one, because others are ignored.
    setImmediate(() => void this.#heartbeat(connection))
    void ended.then(() => this.#onEnd())
    return connection
  }

  /** `now` is a monotonic time, so that setting back the system clock cannot make old responses fresh again. */
  isFresh(now = performance.now()): boolean {
    const connection = this.#connections.current
    if (!connection) return false
    if (now - this.#heartbeatSentAt >= heartbeatEveryMs) this.#heartbeatUnlessPending(connection)
    return now < this.#freshUntil
  }

  /**
   * Settles when everything that was announced before the call has been received: PostgreSQL sends it ahead of the
   * response to a later query. The wait for a silent connection ends when `isFresh` would return false, since nothing
   * is trusted after that.
   */
  caughtUp(): Promise<void> {
    return this.#answers.read('', async () => {
      const connection = this.#connections.current
      if (!connection) return
      const answered = new AbortController()
      const timedOut = delay(freshMs, undefined, { signal: answered.signal }).catch(() => {})
      await Promise.race([this.#heartbeat(connection), timedOut])
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

  #heartbeatIfIdle(): void {
    const isDue = performance.now() - this.#heartbeatSentAt >= idleHeartbeatEveryMs / 2
    const connection = this.#connections.current
    if (connection && isDue) this.#heartbeatUnlessPending(connection)
  }

  #heartbeatUnlessPending(connection: Connection): void {
    if (this.#pendingHeartbeats === 0) void this.#heartbeat(connection)
  }

  /**
   * Sends heartbeats one after the other, because a response covers only what was announced before its query was
   * sent.
   */
  #heartbeat(connection: Connection): Promise<void> {
    this.#pendingHeartbeats++
    this.#heartbeats = this.#heartbeats
      .then(() => this.#sendHeartbeat(connection))
      .finally(() => this.#pendingHeartbeats--)
    return this.#heartbeats
  }

  async #sendHeartbeat(connection: Connection): Promise<void> {
    if (this.#connections.current !== connection) return
    const { client } = connection
    const sentAt = performance.now()
    this.#heartbeatSentAt = sentAt
    try {
      const { rows } = await answeredInTime(client, client.query<DatabaseTime>(databaseTime))
      if (rows[0]) this.#clock?.learn(rows[0].ms, sentAt)
      this.#freshUntil = sentAt + freshMs
    } catch (error) {
      this.#connections.replace(connection, error)
    }
  }

  #onEnd(): void {
    this.#freshUntil = 0
    if (!this.#closed) this.#onLost()
  }
}

/** Destroys the connection if it does not respond in time, so that everybody who waits for it receives an error. */
async function answeredInTime<T>(client: pg.Client, answer: Promise<T>): Promise<T> {
  let isAnswered = false
  const destroy = () => isAnswered || client.connection.stream.destroy(new DatabaseSilentError())
  // Read a response that arrived while this process was busy or suspended before giving up.
  const timer = setTimeout(() => setImmediate(destroy), answerTimeoutMs)
  try {
    return await answer
  } finally {
    isAnswered = true
    clearTimeout(timer)
  }
}
