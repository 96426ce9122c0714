import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { markingLost } from './lost-connection.ts'
import { DatabaseSilentError, SilenceWatch } from './silence.ts'
import { StatementNames } from './statement-names.ts'

/** The maximum number of connections per process. `transact.ts` keeps some of them free for reads. */
const maxConnections = 10
/**
 * The timeout for opening a connection, or for getting one that is in use. It is long enough that a burst of calls is
 * served slowly rather than refused.
 */
const connectTimeoutMs = 6000
/**
 * The server cancels a statement after its timeout and reports that. If no response came this long after the timeout,
 * none will come.
 */
const graceMs = 1000
/** What PostgreSQL answers if a prepared statement would return other columns than before, because a table was changed. */
const featureNotSupported = '0A000'
/** The time that connections have for closing properly when the pool closes. */
const closeTimeoutMs = 1000

/**
 * A pool of connections to the database in which no caller waits indefinitely. A connection that does not respond in
 * time is destroyed, because its next user would otherwise have to wait for the response to the previous query.
 */
export class GuardedPool implements PostgresPool {
  readonly options = {}
  readonly #pool: pg.Pool
  readonly #watch: SilenceWatch
  readonly #connected = new Map<pg.PoolClient, GuardedClient>()
  readonly #names = new StatementNames()
  readonly #timeoutMs: number
  #isClosing = false

  constructor(address: DatabaseAddress, statementTimeoutMs: number, onError: (error: Error) => void) {
    this.#timeoutMs = statementTimeoutMs + graceMs
    this.#watch = new SilenceWatch(address, () => this.#destroyAll())
    this.#pool = new pg.Pool({
      ...address.config,
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      application_name: 'sandglass',
    })
    // The pool replaces a broken connection, whether it was idle or in use. The caller who was using it receives the
    // error too.
    const report = (error: Error) => this.#isClosing || onError(error)
    this.#pool.on('error', report)
    this.#pool.on('connect', client => {
      client.on('error', report)
      this.#connected.set(client, new GuardedClient(client, this.#watch, this.#names, this.#timeoutMs))
    })
    this.#pool.on('remove', client => this.#connected.delete(client))
  }

  connect(): Promise<GuardedClient> {
    let isTimedOut = false
    const begin = async () => {
      const client = await markingLost(() => this.#pool.connect())
      const guarded = this.#connected.get(client)
      if (!guarded) throw new Error('a connection is not known to its pool')
      if (isTimedOut) guarded.release()
      return guarded
    }
    const onTimeout = () => {
      isTimedOut = true
    }
    return this.#watch.during(begin, { timeoutMs: connectTimeoutMs + graceMs, onTimeout })
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
    const timer = setTimeout(() => this.#destroyAll(), closeTimeoutMs)
    await this.#pool.end()
    clearTimeout(timer)
  }

  #destroyAll(): void {
    for (const client of this.#connected.values()) client.destroy()
  }
}

interface NamedQueries {
  query<Row>(query: pg.QueryConfig): Promise<PostgresQueryResult<Row>>
}

/** A connection of the pool, while it is checked out. */
export class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #watch: SilenceWatch
  readonly #names: StatementNames
  readonly #timeoutMs: number
  /** Set when the connection has a plan that no longer fits the tables. */
  #isOutdated = false

  constructor(client: pg.PoolClient, watch: SilenceWatch, names: StatementNames, timeoutMs: number) {
    this.#names = names
    this.#client = client
    this.#watch = watch
    this.#timeoutMs = timeoutMs
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query<Row>(text: string | PostgresCursor<Row>, parameters: readonly unknown[] = []) {
    const client: PostgresPoolClient = this.#client
    return typeof text === 'string' ? this.#run<Row>(text, parameters) : client.query<Row>(text)
  }

  async #run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const name = this.#names.of(text)
    const query = { text, values: [...parameters], ...(name !== undefined && { name }) }
    const client: NamedQueries = this.#client
    try {
      return await this.#guard(() => client.query<Row>(query))
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === featureNotSupported) this.#isOutdated = true
      throw error
    }
  }

  run<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    return this.#guard(() => this.#client.query<Row>(query))
  }

  /** Returns the connection to the pool, which discards it if it was destroyed. */
  release(isBroken = false): void {
    this.#client.release(isBroken || this.#isOutdated)
  }

  destroy(): void {
    if (this.#client instanceof pg.Client) this.#client.connection.stream.destroy(new DatabaseSilentError())
  }

  #guard<T>(begin: () => Promise<T>): Promise<T> {
    return this.#watch.during(() => markingLost(begin), {
      timeoutMs: this.#timeoutMs,
      onTimeout: () => this.destroy(),
    })
  }
}
