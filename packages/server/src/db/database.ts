import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { DatabaseAddress } from './address.ts'
import { GuardedPool } from './guarded-pool.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
export type Tx = Transaction<Schema>

/** Published clients give up after 10 s: nothing that the database does for a call may take longer. */
const statementTimeoutMs = 5000

export interface Pool {
  readonly db: Database
  /** For the few queries that are asked all the time: the server parses and plans each once per connection. */
  prepared: Prepared
  close(): Promise<void>
}

/** A statement with a name of its own and $1, $2, … for its values. */
export type Prepared = <Row extends object>(
  name: string,
  text: string,
  ...values: unknown[]
) => Promise<Row[]>

export interface PoolOptions {
  /** The longest that one statement may take. */
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
