import type { Database } from '../db/database.ts'

/** This process, and the database whose machines it makes. */
export interface Identity {
  /** The id of the database. */
  readonly installation: string
  readonly nodeId: string
}

/** What the database says of itself, and of how many machines it has numbered for a node. */
export interface Ledger extends Identity {
  /** A machine of this node with a greater number was made after the state that the database has. */
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
