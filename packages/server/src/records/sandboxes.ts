import { isDeepStrictEqual } from 'node:util'
import type { Lifecycle, Sandbox, SandboxStatus } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Actor } from '../auth/principal.ts'
import type { Database, Prepared, Tx } from '../db/database.ts'
import type { SandboxTable } from '../db/schema.ts'
import { appendEvent } from '../events/append.ts'
import { endFromNow, endOfNew, inSeconds } from './life-clock.ts'
import { columnsOf, hasRules, lifecycleOf } from './lifecycle.ts'

export type SandboxRow = Selectable<SandboxTable>

export interface NewSandbox {
  readonly id: string
  readonly orgId: string
  readonly projectId: string
  readonly name: string
  readonly shapeName: string
  readonly pricePerHour: number
  readonly status: SandboxStatus
  readonly lifeSeconds: number
  readonly lifecycle: Lifecycle
  readonly labels: Readonly<Record<string, string>>
  readonly machineId: string
  readonly nodeId: string
  readonly createdBy: string
}

export async function insertSandbox(tx: Tx, sandbox: NewSandbox): Promise<SandboxRow> {
  const { idleSeconds } = sandbox.lifecycle
  const row = await tx
    .insertInto('sandboxes')
    .values({
      id: sandbox.id,
      org_id: sandbox.orgId,
      project_id: sandbox.projectId,
      name: sandbox.name,
      shape_name: sandbox.shapeName,
      price_per_hour: sandbox.pricePerHour,
      status: sandbox.status,
      expires_at: endOfNew(sandbox.lifeSeconds, sandbox.createdBy),
      life_seconds: sandbox.lifeSeconds,
      ...columnsOf(sandbox.lifecycle),
      idle_at: idleSeconds === undefined ? null : inSeconds(idleSeconds),
      labels: JSON.stringify(sandbox.labels),
      machine_id: sandbox.machineId,
      node_id: sandbox.nodeId,
      created_by: sandbox.createdBy,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await appendEvent(tx, {
    orgId: row.org_id,
    type: 'sandbox.created',
    subject: row.id,
    data: {
      name: row.name,
      shapeName: row.shape_name,
      projectId: row.project_id,
      status: row.status,
      expiresAt: row.expires_at.toISOString(),
      labels: row.labels,
    },
  })
  return row
}

/** Names every column, because a prepared statement with `*` fails after a migration adds a column. */
const oneSandbox = `SELECT id, org_id, project_id, name, shape_name, status, created_at, expires_at, machine_id, node_id,
    created_by, price_per_hour, labels, idle_seconds, idle_at, reason, paused, hibernated, control, live_epoch,
    browser_epoch, person_called, control_by, control_message, health, before_loss, announced_end, on_timeout, on_idle, auto_resume, life_seconds, kept
  FROM sandboxes WHERE org_id = $1 AND id = $2 AND ($3::text IS NULL OR created_by = $3)`

/** Runs before every operation on a sandbox, so the statement is prepared. */
export async function selectSandbox(
  prepared: Prepared,
  member: Actor,
  id: string,
): Promise<SandboxRow | undefined> {
  const creator = requiredCreator(member) ?? null
  const [row] = await prepared<SandboxRow>('one-sandbox', oneSandbox, member.organization.id, id, creator)
  return row
}

/** Locks a sandbox until the transaction ends, so that its state cannot change in between. */
export async function lockSandbox(tx: Tx, member: Actor, id: string): Promise<SandboxRow | undefined> {
  return visibleTo(tx, member).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Does the same for the service itself, which may see every sandbox. */
export async function lockById(tx: Tx, id: string): Promise<SandboxRow | undefined> {
  return tx.selectFrom('sandboxes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/**
 * Locks the sandbox of a machine, if it has one. A transaction that changes both calls it before it changes the machine: deleting a
 * sandbox locks the sandbox first, and with another order each of the two could wait for the other.
 */
export async function lockOfMachine(tx: Tx, machineId: string): Promise<SandboxRow | undefined> {
  return tx
    .selectFrom('sandboxes')
    .selectAll()
    .where('machine_id', '=', machineId)
    .forUpdate()
    .executeTakeFirst()
}

export async function selectById(db: Database, id: string): Promise<SandboxRow | undefined> {
  return db.selectFrom('sandboxes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns those of the ids whose sandboxes have not ended. */
export async function selectExisting(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('sandboxes').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

/**
 * Returns the organizations of the machines of a node. A warm machine of an image belongs to the organization of the image until it
 * is claimed, because what runs in it is theirs; one of a shape belongs to nobody.
 */
export async function selectTenants(db: Database, nodeId: string): Promise<Map<string, string>> {
  const [ofImages, sandboxes, atWork] = await Promise.all([
    db
      .selectFrom('machines as machine')
      .innerJoin('machine_images as image', 'image.id', 'machine.image_id')
      .select(['machine.id as machine_id', 'image.org_id'])
      .where('machine.node_id', '=', nodeId)
      .execute(),
    db.selectFrom('sandboxes').select(['machine_id', 'org_id']).where('node_id', '=', nodeId).execute(),
    db
      .selectFrom('machines')
      .select(['id as machine_id', 'org_id'])
      .where('node_id', '=', nodeId)
      .where('org_id', 'is not', null)
      .execute(),
  ])
  const rows = [...ofImages, ...sandboxes, ...atWork]
  return new Map(
    rows.flatMap(({ machine_id, org_id }) =>
      machine_id === null || org_id === null ? [] : [[machine_id, org_id]],
    ),
  )
}

/** Returns the ids of the machines of a node whose sandbox runs or is to run. */
export async function machinesInUse(db: Database, nodeId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('node_id', '=', nodeId)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
  return new Set(rows.flatMap(({ machine_id: id }) => id ?? []))
}

/** Returns the organization that has a machine, as {@link selectTenants} does; undefined for a warm machine of a shape. */
export async function selectTenant(db: Database, machineId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('machines as machine')
    .leftJoin('sandboxes as sandbox', 'sandbox.machine_id', 'machine.id')
    .leftJoin('machine_images as image', 'image.id', 'machine.image_id')
    .select(['machine.org_id as worksFor', 'sandbox.org_id as orgId', 'image.org_id as imageOf'])
    .where('machine.id', '=', machineId)
    .executeTakeFirst()
  return row?.orgId ?? row?.worksFor ?? row?.imageOf ?? undefined
}

/** Counts all sandboxes except those in ERROR, which do not count against a quota and can be deleted at any time. */
export async function countSandboxes(db: Database | Tx, orgId: string, createdBy?: string): Promise<number> {
  let query = db
    .selectFrom('sandboxes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .where('status', '!=', 'ERROR')
  if (createdBy !== undefined) query = query.where('created_by', '=', createdBy)
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/**
 * Sets the end of a sandbox to a time from now, or to the end of its trial if that is earlier. One that is kept gets this much
 * time when it is woken, and is kept for `keepSeconds` from now.
 */
export async function setExpiry(tx: Tx, id: string, lifeSeconds: number, keepSeconds: number): Promise<void> {
  const row = await tx
    .updateTable('sandboxes')
    .set({
      life_seconds: lifeSeconds,
      expires_at: sql<Date>`CASE WHEN kept THEN ${endFromNow(keepSeconds)} ELSE ${endFromNow(lifeSeconds)} END`,
    })
    .where('id', '=', id)
    .returning(['org_id', 'expires_at'])
    .executeTakeFirst()
  if (!row) return
  await appendEvent(tx, {
    orgId: row.org_id,
    type: 'sandbox.extended',
    subject: id,
    data: { expiresAt: row.expires_at.toISOString() },
  })
  await announceSandbox(tx, id)
}

/** Tells every process that something of a sandbox has changed which the database does not announce by itself. */
export async function announceSandbox(tx: Tx, id: string): Promise<void> {
  await sql`SELECT pg_notify('sandbox_changes', ${id})`.execute(tx)
}

/** Changes the name and the labels of a sandbox. Processes that have it in a cache forget it. */
export async function setNameAndLabels(
  tx: Tx,
  sandbox: SandboxRow,
  {
    name = sandbox.name,
    labels = sandbox.labels,
  }: { readonly name?: string; readonly labels?: SandboxRow['labels'] },
): Promise<SandboxRow> {
  if (name === sandbox.name && isDeepStrictEqual(labels, sandbox.labels)) return sandbox
  await tx
    .updateTable('sandboxes')
    .set({ name, labels: JSON.stringify(labels) })
    .where('id', '=', sandbox.id)
    .execute()
  await appendEvent(tx, {
    orgId: sandbox.org_id,
    type: 'sandbox.updated',
    subject: sandbox.id,
    data: { name, labels },
  })
  await announceSandbox(tx, sandbox.id)
  return { ...sandbox, name, labels }
}

/** Lets the sandboxes of a trial session expire now. The database announces that to the processes that end them. */
export async function expireSandboxesOfTrial(tx: Tx, trialId: string): Promise<void> {
  await tx
    .updateTable('sandboxes')
    .set({ expires_at: sql<Date>`least(expires_at, now())` })
    .where('created_by', '=', `trialToken:${trialId}`)
    .execute()
}

/**
 * Renews the idle timeout of a sandbox. To save writes, it writes at most once per second, or ten times per timeout if
 * that is shorter.
 */
export async function touchById(db: Database, id: string): Promise<void> {
  await db
    .updateTable('sandboxes')
    .set({ idle_at: sql<Date>`now() + make_interval(secs => idle_seconds)` })
    .where('id', '=', id)
    .where(
      'idle_at',
      '<',
      sql<Date>`now() + make_interval(secs => idle_seconds - least(1, idle_seconds / 10.0))`,
    )
    .execute()
}

/**
 * Does the same for several at once. Returns those whose rows another transaction is changing: waiting for them in any
 * order could make both wait for each other.
 */
export async function touchAll(db: Database, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with due as (
      select id from sandboxes where id = any(${ids}::text[])
        and idle_at < now() + make_interval(secs => idle_seconds - least(1, idle_seconds / 10.0))
    ), free as (
      select id from sandboxes where id in (select id from due) for no key update skip locked
    ), renewed as (
      update sandboxes set idle_at = now() + make_interval(secs => idle_seconds)
        where id in (select id from free) returning id
    )
    select id from due where id not in (select id from renewed)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Does the same for a row that was already read, and saves the write if the sandbox has no idle timeout. */
export async function touch(
  db: Database,
  { id, idle_seconds: seconds }: Pick<SandboxRow, 'id' | 'idle_seconds'>,
): Promise<void> {
  if (seconds !== null) await touchById(db, id)
}

export async function deleteSandboxRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('sandboxes').where('id', '=', id).execute()
}

type ShownColumns =
  | 'id'
  | 'name'
  | 'created_at'
  | 'expires_at'
  | 'project_id'
  | 'shape_name'
  | 'status'
  | 'labels'
  | 'reason'

/** What is shown of every sandbox, whether or not it has ended. */
export function shownOf(row: Pick<SandboxRow, ShownColumns>) {
  const expiresAt = row.expires_at.toISOString()
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    expiresAt,
    expiredAt: expiresAt,
    projectId: row.project_id,
    shapeName: row.shape_name,
    status: row.status,
    labels: row.labels,
    ...(row.reason !== null && { reason: row.reason }),
  }
}

export function sandboxOf(row: SandboxRow): Sandbox {
  return {
    ...shownOf(row),
    control: row.control,
    ...(row.control_by !== null && { controlledBy: row.control_by }),
    ...(row.person_called && row.control_by === null && { personNeeded: { message: row.control_message } }),
    ...(row.paused && { paused: true }),
    ...(row.hibernated && { hibernated: true }),
    ...(hasRules(row) && { lifecycle: lifecycleOf(row) }),
    ...(row.status === 'RUNNING' && row.health),
  }
}

/** The form in which the creator of a sandbox is stored. */
export function authorOf({ kind, id }: Actor): string {
  return `${kind}:${id}`
}

function visibleTo(db: Database | Tx, member: Actor) {
  const all = db.selectFrom('sandboxes').selectAll().where('org_id', '=', member.organization.id)
  const creator = requiredCreator(member)
  return creator === undefined ? all : all.where('created_by', '=', creator)
}

/** Does the same check for a row that was already read. */
export function isVisibleTo(
  { org_id, created_by }: Pick<SandboxRow, 'org_id' | 'created_by'>,
  member: Actor,
): boolean {
  const creator = requiredCreator(member)
  return org_id === member.organization.id && (creator === undefined || created_by === creator)
}

/** A trial session sees only its own sandboxes. Everybody else sees those of the organization. */
export function requiredCreator(member: Actor): string | undefined {
  return member.kind === 'trialToken' ? authorOf(member) : undefined
}
