import type { MachineHandle } from '@sandglass/machines/contract'
import { type Selectable, sql } from 'kysely'
import type { StoredSpec } from '../auth/environment-seal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { MachineTable } from '../db/schema.ts'

export type MachineRow = Selectable<MachineTable>

export interface NewMachine {
  readonly nodeId: string
  readonly engine: string
  readonly shapeName: string
  readonly spec: StoredSpec
  /** The saved disk that the machine starts with. */
  readonly diskId?: string | undefined
  /** The organization that it works for without being a sandbox. */
  readonly orgId?: string | undefined
  /** The image that it is kept ready for. */
  readonly imageId?: string | undefined
}

/** The machines of the pool that a sandbox can claim: those of a shape, or those of an image, which have its disk. */
export interface WarmKind {
  readonly shapeName: string
  readonly imageId?: string | undefined
}

export async function insertMachine(db: Database | Tx, machine: NewMachine): Promise<MachineRow> {
  return db
    .insertInto('machines')
    .values({
      id: machine.spec.id,
      node_id: machine.nodeId,
      engine: machine.engine,
      shape_name: machine.shapeName,
      spec: JSON.stringify(machine.spec),
      state: 'starting',
      disk_id: machine.diskId,
      org_id: machine.orgId,
      image_id: machine.imageId,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Claims a machine of the pool. Concurrent calls never get the same one, because each locks its row and skips locked ones. */
export async function claimReady(tx: Tx, nodeId: string, kind: WarmKind): Promise<MachineRow | undefined> {
  const candidate = readyOfKind(tx, nodeId, kind).orderBy('created_at').limit(1).forUpdate().skipLocked()
  return tx
    .updateTable('machines')
    .set({ state: 'claimed' })
    .where('id', '=', candidate)
    .returningAll()
    .executeTakeFirst()
}

/** Whether the pool has a machine that could be claimed. */
export async function hasReady(db: Database, nodeId: string, kind: WarmKind): Promise<boolean> {
  const row = await readyOfKind(db, nodeId, kind).limit(1).executeTakeFirst()
  return row !== undefined
}

function readyOfKind(db: Database | Tx, nodeId: string, { shapeName, imageId }: WarmKind) {
  const query = db
    .selectFrom('machines')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('state', '=', 'ready')
    .where('shape_name', '=', shapeName)
  return imageId === undefined ? query.where('image_id', 'is', null) : query.where('image_id', '=', imageId)
}

/** Returns the machines of the pool that nobody has claimed, the oldest first. */
export async function readyMachines(db: Database, nodeId: string) {
  return db
    .selectFrom('machines')
    .select(['id', 'shape_name', 'image_id'])
    .where('node_id', '=', nodeId)
    .where('state', '=', 'ready')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Dooms machines of the pool, except for those that were claimed meanwhile. */
export async function doomReady(db: Database, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('machines')
    .set({ state: 'doomed' })
    .where('id', 'in', ids)
    .where('state', '=', 'ready')
    .execute()
}

/** Records that a machine was created. Returns false if it was doomed in the meantime. */
export async function markMade(
  db: Database | Tx,
  id: string,
  handle: MachineHandle,
  state: 'ready' | 'claimed',
): Promise<boolean> {
  const row = await db
    .updateTable('machines')
    .set({ handle: JSON.stringify(handle), state })
    .where('id', '=', id)
    .where('state', '=', 'starting')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function doomMachine(db: Database | Tx, id: string): Promise<void> {
  await db.updateTable('machines').set({ state: 'doomed' }).where('id', '=', id).execute()
}

/**
 * Deletes the row of a machine. A sandbox that failed lets go of it first: deleting the row alone would lock the machine before the
 * sandbox, and deleting the sandbox locks them in the other order.
 */
export async function forgetMachine(db: Database, id: string): Promise<void> {
  await db.updateTable('sandboxes').set({ machine_id: null }).where('machine_id', '=', id).execute()
  await db.deleteFrom('machines').where('id', '=', id).execute()
}

export async function selectMachine(db: Database | Tx, id: string): Promise<MachineRow | undefined> {
  return db.selectFrom('machines').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function machinesOfNode(db: Database, nodeId: string): Promise<MachineRow[]> {
  return db.selectFrom('machines').selectAll().where('node_id', '=', nodeId).orderBy('created_at').execute()
}

/** Counts the machines of the pool that nobody has claimed, including those that are being created. */
export async function countPooled(db: Database | Tx, nodeId: string, kind: WarmKind): Promise<number> {
  const { count } = await pooledOfKind(db, nodeId, kind)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Counts the same machines by the member of the cluster on which each was to be created. */
export async function countPooledByMember(
  db: Database,
  nodeId: string,
  kind: WarmKind,
): Promise<Map<string, number>> {
  const member = sql<string>`machine.spec -> 'place' ->> 'member'`
  const rows = await pooledOfKind(db, nodeId, kind)
    .select(({ fn }) => [member.as('member'), fn.countAll<string>().as('count')])
    .where(member, 'is not', null)
    .groupBy(member)
    .execute()
  return new Map(rows.map(row => [row.member, Number(row.count)]))
}

function pooledOfKind(db: Database | Tx, nodeId: string, { shapeName, imageId }: WarmKind) {
  const query = db
    .selectFrom('machines as machine')
    .leftJoin('sandboxes as sandbox', 'sandbox.machine_id', 'machine.id')
    .where('machine.node_id', '=', nodeId)
    .where('machine.shape_name', '=', shapeName)
    .where('machine.state', 'in', ['starting', 'ready'])
    .where('sandbox.id', 'is', null)
    .where('machine.org_id', 'is', null)
  return imageId === undefined
    ? query.where('machine.image_id', 'is', null)
    : query.where('machine.image_id', '=', imageId)
}

/** Counts the machines that work for an organization without being sandboxes. */
export async function countAtWork(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('machines')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .where('state', '!=', 'doomed')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Dooms the machines of a node that work for organizations without being sandboxes. */
export async function doomAtWork(tx: Tx, nodeId: string): Promise<void> {
  await tx
    .updateTable('machines')
    .set({ state: 'doomed' })
    .where('node_id', '=', nodeId)
    .where('org_id', 'is not', null)
    .execute()
}
