import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from '../../db/address.ts'
import type { Database } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'

/** A connection of its own, for work that takes longer than the service lets a statement take. */
export interface OneConnection extends AsyncDisposable {
  readonly client: pg.Client
  /** The same connection for queries. While one of its transactions runs, what the client does belongs to it. */
  readonly db: Database
}

export async function openConnection({ config, shown }: DatabaseAddress): Promise<OneConnection> {
  const client = new pg.Client({ ...config, application_name: 'sandglass backup', keepAlive: true })
  // Whoever uses the connection gets the error too.
  client.on('error', () => {})
  await client.connect().catch(cause => {
    throw new Error(`The database (${shown}) cannot be reached: ${cause.message}.`, { cause })
  })
  const pool = { connect: async () => new LentClient(client), end: async () => {}, options: {} }
  return {
    client,
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }),
    [Symbol.asyncDispose]: () => client.end().catch(() => {}),
  }
}

/** Returning it has no effect, because there is only this one. */
class LentClient implements PostgresPoolClient {
  readonly #client: Omit<PostgresPoolClient, 'release'>

  constructor(client: Omit<PostgresPoolClient, 'release'>) {
    this.#client = client
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query<Row>(text: string | PostgresCursor<Row>, parameters: readonly unknown[] = []) {
    return typeof text === 'string'
      ? this.#client.query<Row>(text, [...parameters])
      : this.#client.query<Row>(text)
  }

  release(): void {}
}
