import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAddress } from './database.ts'
import { FreshReads } from './fresh-reads.ts'

/** How long after a heartbeat was sent its answer still vouches for the connection. */
const vouchedMs = 900
const heartbeatEveryMs = 300
const retryMs = 250

/** What to do with what is announced, by the name of the channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

/**
 * One connection that hears what other processes announce. `isFresh` is true only while the connection is known to
 * be alive, by an answer of the server not a second old: whoever remembers things by it forgets within a second of
 * losing it, also when the network goes silent. Heartbeats go out only while somebody asks.
 */
export class Listener {
  readonly #address: DatabaseAddress
  readonly #channels: Channels
  readonly #onLost: () => void
  readonly #answers = new FreshReads<void>()
  #client: pg.Client | undefined
  #vouchedUntil = 0
  #heartbeatSentAt = 0
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(address: DatabaseAddress, channels: Channels, onLost: () => void) {
    this.#address = address
    this.#channels = channels
    this.#onLost = onLost
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      ...this.#address.config,
      keepAlive: true,
      connectionTimeoutMillis: 3000,
      application_name: 'sandglass-listener',
    })
    client.on('notification', ({ channel, payload }) => this.#channels[channel]?.(payload ?? ''))
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    try {
      await client.connect()
      for (const channel of Object.keys(this.#channels)) await client.query(`LISTEN ${channel}`)
    } catch {
      await client.end().catch(() => {})
      this.#reconnectLater()
      return
    }
    if (this.#closed) return client.end()
    this.#client = client
    this.#heartbeatSentAt = 0
    void this.#heartbeat(client)
  }

  isFresh(now = Date.now()): boolean {
    const client = this.#client
    if (!client) return false
    if (now - this.#heartbeatSentAt >= heartbeatEveryMs) void this.#heartbeat(client)
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
    await this.#client?.end().catch(() => {})
  }

  async #heartbeat(client: pg.Client): Promise<void> {
    const sentAt = Date.now()
    this.#heartbeatSentAt = sentAt
    try {
      await client.query('SELECT')
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
    client.end().catch(() => {})
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (this.#closed) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.connect(), retryMs)
  }
}
