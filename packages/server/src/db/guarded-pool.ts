import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { DatabaseSilentError, SilenceWatch } from './silence.ts'

/** Connections of one process. `transact.ts` sees to it that some of them are left for reads. */
const maxConnections = 10
/** For a new connection, or one of those that others use now: a crowd that comes at once is served, if slowly. */
const connectTimeoutMs = 6000
/** The server ends a statement by itself after its limit, so that an answer comes; this long after it, none will. */
const graceMs = 1000
/** How long connections have to say goodbye when the pool closes. */
const farewellMs = 1000

/**
 * Connections to the database that nobody waits for in vain. A connection that gives no answer in time is destroyed, since
 * one with a query still under way would make its next user wait for that query's answer.
 */
export class GuardedPool implements PostgresPool {
  readonly options = {}
  readonly #pool: pg.Pool
  readonly #watch: SilenceWatch
  readonly #connected = new Map<pg.PoolClient, GuardedClient>()
  readonly #limitMs: number
  #isClosing = false

  constructor(address: DatabaseAddress, statementTimeoutMs: number, onError: (error: Error) => void) {
    this.#limitMs = statementTimeoutMs + graceMs
    this.#watch = new SilenceWatch(address, () => this.#destroyAll())
    this.#pool = new pg.Pool({
      ...address.config,
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      application_name: 'sandglass',
    })
    // A connection that breaks, idle or in use, is replaced by the pool; whoever was using it gets the error too.
    const report = (error: Error) => this.#isClosing || onError(error)
    this.#pool.on('error', report)
    this.#pool.on('connect', client => {
      client.on('error', report)
      this.#connected.set(client, new GuardedClient(client, this.#watch, this.#limitMs))
    })
    this.#pool.on('remove', client => this.#connected.delete(client))
  }

  connect(): Promise<GuardedClient> {
    let isGivenUp = false
    const begin = async () => {
      const client = await this.#pool.connect()
      const guarded = this.#connected.get(client)
      if (!guarded) throw new Error('a connection is not known to its pool')
      if (isGivenUp) guarded.release()
      return guarded
    }
    const onGivenUp = () => {
      isGivenUp = true
    }
    return this.#watch.during(begin, { limitMs: connectTimeoutMs + graceMs, onGivenUp })
  }

  async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.run<Row>(query)).rows
    } finally {
      client.release()
    }
  }

  async end(): Promise<void> {
    this.#isClosing = true
    this.#watch.close()
    const late = setTimeout(() => this.#destroyAll(), farewellMs)
    await this.#pool.end()
    clearTimeout(late)
  }

  #destroyAll(): void {
    for (const client of this.#connected.values()) client.destroy()
  }
}

/** One connection of the pool, for as long as somebody has it. */
export class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #watch: SilenceWatch
  readonly #limitMs: number

  constructor(client: pg.PoolClient, watch: SilenceWatch, limitMs: number) {
    this.#client = client
    this.#watch = watch
    this.#limitMs = limitMs
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query<Row>(text: string | PostgresCursor<Row>, parameters: readonly unknown[] = []) {
    const client: PostgresPoolClient = this.#client
    return typeof text === 'string'
      ? this.#guard(() => client.query<Row>(text, [...parameters]))
      : client.query<Row>(text)
  }

  run<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    return this.#guard(() => this.#client.query<Row>(query))
  }

  /** To the pool, which throws away what was destroyed. */
  release(isBroken = false): void {
    this.#client.release(isBroken)
  }

  destroy(): void {
    if (this.#client instanceof pg.Client) this.#client.connection.stream.destroy(new DatabaseSilentError())
  }

  #guard<T>(begin: () => Promise<T>): Promise<T> {
    return this.#watch.during(begin, { limitMs: this.#limitMs, onGivenUp: () => this.destroy() })
  }
}
