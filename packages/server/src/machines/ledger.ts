import type { Engine, ListedMachine } from '@sandglass/machines/contract'
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

/** The ledgers by which it is decided whose a machine or a saved disk is. */
export interface Ledgers {
  /** Returns the ledger of the node that has made it if that node is lost or was removed, or else that of this node. */
  of(made: Pick<ListedMachine, 'owner'>): Ledger
}

/** What a node that is lost or was removed left in a cluster without a row is removed by the others. */
export async function selectLedgers(
  db: Database,
  nodeId: string,
  { cluster }: Pick<Engine, 'cluster'>,
): Promise<Ledgers> {
  const own = await selectLedger(db, nodeId)
  const ofLost = cluster === undefined ? undefined : await selectLostLedgers(db, own)
  return { of: ({ owner }) => ofLost?.get(owner?.node ?? '') ?? own }
}

/** Returns the ledger of every node that is lost or was removed, by node id. */
async function selectLostLedgers(
  db: Database,
  { installation, nodeId }: Identity,
): Promise<Map<string, Ledger>> {
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'last_machine_number as lastNumber'])
    .where('lost_at', 'is not', null)
    .where('id', '!=', nodeId)
    .unionAll(
      db
        .selectFrom('removed_nodes')
        .select(['id', 'last_machine_number as lastNumber'])
        // One that was registered again has begun anew with its numbers.
        .where('id', 'not in', db.selectFrom('nodes').select('id')),
    )
    .execute()
  return new Map(
    rows.map(({ id, lastNumber }) => [id, { installation, nodeId: id, lastNumber: Number(lastNumber) }]),
  )
}

export async function selectLedger(db: Database, nodeId: string): Promise<Ledger> {
  const row = await db
    .selectFrom('installation')
    .leftJoin('nodes', join => join.on('nodes.id', '=', nodeId))
    .select(['installation.id as installation', 'nodes.last_machine_number as lastNumber'])
    .executeTakeFirstOrThrow()
  return { installation: row.installation, nodeId, lastNumber: Number(row.lastNumber ?? 0) }
}
