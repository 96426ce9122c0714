import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { DatabaseAddress } from './address.ts'
import { GuardedPool } from './guarded-pool.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
export type Tx = Transaction<Schema>

/** Published clients time out after 10 s, so the database must respond to every call well before that. */
const statementTimeoutMs = 5000

export interface Pool {
  readonly db: Database
  /**
   * Runs a prepared statement, which the server parses and plans only once per connection. Use it for the few queries
   * that run constantly.
   */
  prepared: Prepared
  close(): Promise<void>
}

/** Takes the unique name of the statement, and the values of its parameters $1, $2 and so on. */
export type Prepared = <Row extends object>(
  name: string,
  text: string,
  ...values: unknown[]
) => Promise<Row[]>

export interface PoolOptions {
  /** The maximum time for one statement. */
  readonly statementTimeoutMs?: number
}

export function openPool(
  address: DatabaseAddress,
  onError: (error: Error) => void,
  options: PoolOptions = {},
): Pool {
  const pool = new GuardedPool(address, options.statementTimeoutMs ?? statementTimeoutMs, onError)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const prepared: Prepared = (name, text, ...values) => pool.query({ name, text, values })
  return { db, prepared, close: () => db.destroy() }
}
