import pg from 'pg'
import type { DatabaseAddress } from './database.ts'

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
    this.#heartbeat(client)
  }

  isFresh(now = Date.now()): boolean {
    const client = this.#client
    if (!client) return false
    if (now - this.#heartbeatSentAt >= heartbeatEveryMs) this.#heartbeat(client)
    return now < this.#vouchedUntil
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#client?.end().catch(() => {})
  }

  #heartbeat(client: pg.Client): void {
    const sentAt = Date.now()
    this.#heartbeatSentAt = sentAt
    client.query('SELECT').then(
      () => {
        this.#vouchedUntil = sentAt + vouchedMs
      },
      () => this.#lose(client),
    )
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
