import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
export type Tx = Transaction<Schema>

/** How the service connects, whether the server is embedded or somebody's own. */
export interface DatabaseAddress {
  readonly config: pg.ClientConfig
  /** Without a password, for the log. */
  readonly shown: string
}

/** Published clients give up after 10 s: nothing that the database does for a call may take longer. */
const statementTimeoutMs = 8000
/** A connection, or one of those that others use now. A crowd that comes at once is served, if slowly. */
const connectTimeoutMs = 6000

export interface Pool {
  readonly db: Database
  /** For the few queries that are asked all the time: the server parses and plans each once a connection. */
  prepared: Prepared
  close(): Promise<void>
}

/** A statement with a name of its own and $1, $2, … for its values. */
export type Prepared = <Row>(name: string, text: string, ...values: unknown[]) => Promise<Row[]>

export function openPool(address: DatabaseAddress, onError: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    ...address.config,
    max: 10,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'sandglass',
  })
  // A connection that breaks, idle or in use, is replaced by the pool; whoever was using it gets the error too.
  let closing = false
  const report = (error: Error) => closing || onError(error)
  pool.on('error', report)
  pool.on('connect', client => client.on('error', report))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const close = () => {
    closing = true
    return db.destroy()
  }
  const prepared: Prepared = async (name, text, ...values) => (await pool.query({ name, text, values })).rows
  return { db, prepared, close }
}
