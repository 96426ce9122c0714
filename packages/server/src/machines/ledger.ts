import type { Database } from '../db/database.ts'

/** Identifies this node and its database. */
export interface Identity {
  /** The installation id, which identifies the database. */
  readonly installation: string
  readonly nodeId: string
}

/** The identity of the database, with the last machine number that it has assigned to a node. */
export interface Ledger extends Identity {
  /** A machine of this node with a greater number was created after the state that the database is in. */
  readonly lastNumber: number
}

export async function selectInstallation(db: Database): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
  return id
}

export async function selectLedger(db: Database, nodeId: string): Promise<Ledger> {
  const row = await db
    .selectFrom('installation')
    .leftJoin('nodes', join => join.on('nodes.id', '=', nodeId))
    .select(['installation.id as installation', 'nodes.last_machine_number as lastNumber'])
    .executeTakeFirstOrThrow()
  return { installation: row.installation, nodeId, lastNumber: Number(row.lastNumber ?? 0) }
}
