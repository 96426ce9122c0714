import { existsSync } from 'node:fs'
import type { DataDirectory } from '../data-directory.ts'
import { type Database, openPool } from '../db/database.ts'
import { EmbeddedPostgres } from '../db/embedded/server.ts'
import { belongingOf } from '../machines/belonging.ts'
import { selectLedger } from '../machines/ledger.ts'
import { leftAloneIn } from '../machines/machine-marks.ts'
import { machinesOfNode } from '../records/machines.ts'
import { embeddedFolder, ownerAddress } from '../service-database.ts'
import type { Settings } from '../settings.ts'
import type { Found } from './find-here.ts'

export interface UnclaimedHere {
  readonly found: readonly Found[]
  /** The installation id of the database that was queried. */
  readonly installation: string
  /** The address of that database, without its password. */
  readonly database: string
}

/** Queries the database, and returns the machines, saved disks and volumes that it does not know. */
export async function findUnclaimed(
  settings: Settings,
  data: DataDirectory,
  all: readonly Found[],
): Promise<UnclaimedHere> {
  await using undo = new AsyncDisposableStack()
  const address = ownerAddress(settings)
  if (settings.DATABASE_URL === undefined) {
    const folder = embeddedFolder(data.path)
    if (!existsSync(folder))
      throw new Error(
        `There is no database in ${folder}. Set DATABASE_URL to the database of these machines.`,
      )
    const embedded = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.error })
    undo.defer(() => embedded.stop())
  }
  const { db, close } = openPool(address, () => {})
  undo.defer(close)
  try {
    const nodeId = await data.nodeId()
    const ledger = await selectLedger(db, nodeId)
    const known = {
      machine: new Set((await machinesOfNode(db, nodeId)).map(({ id }) => id)),
      // Of all nodes, because a volume keeps its row when its node is removed, and nobody must lose what a row names.
      'saved disk': await idsIn(db, 'saved_disks'),
      volume: await idsIn(db, 'volumes'),
    }
    const leftAlone = leftAloneIn(data.path)
    const isUnclaimed = (one: Found) =>
      !['claimed', 'neighbour'].includes(
        belongingOf(one, one.scope, known[one.kind].has(one.id), ledger, leftAlone),
      )
    const { installation } = ledger
    return { found: all.filter(isUnclaimed), installation, database: address.shown }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `The database (${address.shown}) cannot be asked for its machines: ${problem}. If it was made by an older version, start the service on it once.`,
      { cause },
    )
  }
}

async function idsIn(db: Database, table: 'saved_disks' | 'volumes'): Promise<Set<string>> {
  return new Set((await db.selectFrom(table).select('id').execute()).map(({ id }) => id))
}
