import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { type Database, openPool } from '../../packages/server/src/db/database.ts'
import { embeddedAddress } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { type SharedDatabase, sharedDatabase } from './shared-database.ts'

/** A database that several nodes share, with what tests do to their leases. */
export class NodeDatabase {
  readonly #shared: SharedDatabase
  readonly db: Database
  /** The settings of each node. The lease is short so that heartbeats are frequent. */
  readonly env: Record<string, string>

  private constructor(shared: SharedDatabase, db: Database) {
    this.#shared = shared
    this.db = db
    this.env = { ...shared.env, SANDGLASS_NODE_LEASE: '12' }
  }

  static async start(): Promise<NodeDatabase> {
    const shared = await sharedDatabase()
    const pool = openPool(embeddedAddress(join(shared.folder, 'postgres')), () => {})
    cleanup.defer(() => pool.close())
    return new NodeDatabase(shared, pool.db)
  }

  /** A folder for the data directories of nodes. */
  get folder(): string {
    return this.#shared.folder
  }

  async now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(this.db)
    return rows[0]?.now ?? new Date(Number.NaN)
  }

  /**
   * Moves the lease and the usage of a node into the past, so that its lease has expired. The other nodes seem to have held
   * their leases for longer, so that they may declare it lost.
   */
  async backdate(nodeId: string, interval: string): Promise<void> {
    await this.db.transaction().execute(async tx => {
      // Services that change several nodes finish first, because each could wait for a row that the other one has.
      await sql`LOCK TABLE nodes IN EXCLUSIVE MODE`.execute(tx)
      await sql`UPDATE nodes SET leased_since = leased_since - ${interval}::interval`.execute(tx)
      await sql`UPDATE nodes SET seen_at = seen_at - ${interval}::interval, lease_until = lease_until - ${interval}::interval
        WHERE id = ${nodeId}`.execute(tx)
    })
    await sql`UPDATE usage_spans SET started_at = started_at - 2 * ${interval}::interval
      WHERE sandbox_id IN (SELECT id FROM sandboxes WHERE node_id = ${nodeId})`.execute(this.db)
  }

  /** Settles when a node has renewed its lease this many times from now on. */
  async waitForHeartbeats(nodeId: string, times: number): Promise<void> {
    const seen = new Set<number>()
    await waitFor(async () => {
      const { seen_at } = await this.db
        .selectFrom('nodes')
        .select('seen_at')
        .where('id', '=', nodeId)
        .executeTakeFirstOrThrow()
      return seen.add(seen_at.getTime()).size > times
    })
  }
}

/** Reads the node id from a data directory. */
export async function nodeIdIn(data: string): Promise<string> {
  return (await readFile(join(data, 'node-id'), 'utf8')).trim()
}

/** Returns the node that a sandbox is on. */
export async function nodeOfSandbox(db: Database, id: string): Promise<string | null> {
  const { node_id: nodeId } = await db
    .selectFrom('sandboxes')
    .select('node_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return nodeId
}
