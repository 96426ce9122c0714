import type { Death } from '@sandglass/machines/contract'
import type { SandboxHealth, StateReason } from '@sandglass/protocol'
import { sql, type Updateable } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { SandboxTable } from '../db/schema.ts'
import { appendControlChange, type ControlState } from './control-events.ts'
import { asleepClock, awakeClock } from './life-clock.ts'
import type { SandboxRow } from './sandboxes.ts'
import { appendStateChange, type SandboxState } from './state-events.ts'
import { closeSpan, openSpan } from './usage.ts'

/** Marks the sandbox of a machine as RUNNING and starts to charge for it. */
export async function markRunning(tx: Tx, machineId: string): Promise<void> {
  const changed = await changeState(
    tx,
    machineId,
    { status: 'RUNNING', paused: false, hibernated: false },
    { reason: null, health: null, ...awakeClock },
  )
  if (!changed) return
  const { sandbox, before } = changed
  await openSpan(tx, sandbox)
  await noteStateChange(tx, changed, before.paused ? 'resumed' : 'started')
}

/** Records a problem of the machine, or clears it. A start does this for every machine, most of which have not changed. */
export async function markHealth(
  db: Database,
  machineId: string,
  health: SandboxHealth | undefined,
): Promise<void> {
  const written = health ? JSON.stringify(health) : null
  await db
    .updateTable('sandboxes')
    .set({ health: written })
    .where('machine_id', '=', machineId)
    .where(sql<boolean>`health IS DISTINCT FROM ${written}::jsonb`)
    .execute()
}

/** Marks the sandbox as ERROR after its machine could not be created or restarted. */
export async function markFailed(tx: Tx, machineId: string, reason: string): Promise<void> {
  await leaveRunning(tx, machineId, { ...stopped, status: 'ERROR' }, 'failed', reason)
}

/** Marks the sandbox as ended after its machine ended by itself. Returns false if the machine had no sandbox. */
export async function markDead(
  tx: Tx,
  machineId: string,
  { reason, orderly, cause }: Death,
): Promise<boolean> {
  const to = { ...stopped, status: orderly ? ('STOPPED' as const) : ('ERROR' as const) }
  return leaveRunning(tx, machineId, to, orderly ? 'stopped' : (cause ?? 'killed'), reason)
}

/** How a sandbox is put to sleep. */
export interface Sleep {
  /** How long it is kept if it is to be paused when its time is up. */
  readonly keepSeconds: number
  /** Why, as a sentence. It is left out if a caller asked for it. */
  readonly reason?: string | undefined
}

export async function markPaused(tx: Tx, machineId: string, { keepSeconds, reason }: Sleep): Promise<void> {
  const clock = asleepClock(keepSeconds)
  await leaveRunning(tx, machineId, { ...stopped, paused: true }, 'paused', reason ?? 'It is paused.', clock)
}

/** Marks the sandbox as STOPPED, with its files on disk and nothing in memory. */
export async function markHibernated(
  tx: Tx,
  machineId: string,
  { keepSeconds, reason }: Sleep,
): Promise<void> {
  const clock = asleepClock(keepSeconds)
  const to = { ...stopped, hibernated: true }
  await leaveRunning(tx, machineId, to, 'hibernated', reason ?? 'It is hibernated.', clock)
}

/** Replaces the sentence that callers see with the status. */
export async function setReason(tx: Tx, sandboxId: string, reason: string): Promise<void> {
  await tx.updateTable('sandboxes').set({ reason }).where('id', '=', sandboxId).execute()
}

/** Marks the sandbox as PENDING during a restart, a wake or a restore, with a sentence about it if there is something to say. */
export async function markRestarting(tx: Tx, machineId: string, reason: string | null = null): Promise<void> {
  const isWoken = (before: SandboxState) => (before.hibernated ? 'waking' : 'restarting')
  await leaveRunning(tx, machineId, { ...stopped, status: 'PENDING' }, isWoken, reason)
}

const stopped = { status: 'STOPPED', paused: false, hibernated: false } as const

type AsleepClock = ReturnType<typeof asleepClock>

async function leaveRunning(
  tx: Tx,
  machineId: string,
  to: SandboxState,
  why: StateReason | ((before: SandboxState) => StateReason),
  reason: string | null,
  clock: Partial<AsleepClock> = {},
): Promise<boolean> {
  const isPending = to.status === 'PENDING'
  const changed = await changeState(tx, machineId, to, {
    reason,
    ...clock,
    ...(isPending && { control: 'agent', person_called: false, control_by: null, control_message: null }),
  })
  if (!changed) return false
  const { sandbox, before } = changed
  await closeSpan(tx, sandbox.id, sql<Date>`now()`)
  await noteStateChange(tx, changed, typeof why === 'string' ? why : why(before))
  if (isPending)
    await appendControlChange(tx, sandbox, before, { control: 'agent', person_called: false }, {})
  return true
}

interface Changed {
  readonly sandbox: Pick<
    SandboxRow,
    'id' | 'org_id' | 'project_id' | 'shape_name' | 'price_per_hour' | 'reason'
  >
  readonly before: SandboxState & ControlState
  readonly to: SandboxState
}

type OtherColumns = 'reason' | 'health' | 'control' | 'person_called' | 'control_by' | 'control_message'

/** Changes the state of the sandbox of a machine, and returns how it was before; undefined if the machine has no sandbox. */
async function changeState(
  tx: Tx,
  machineId: string,
  to: SandboxState,
  others: Pick<Updateable<SandboxTable>, OtherColumns>,
): Promise<Changed | undefined> {
  const row = await tx
    .updateTable('sandboxes')
    .from(({ selectFrom }) =>
      selectFrom('sandboxes')
        .select(['id', 'status', 'paused', 'hibernated', 'control', 'person_called'])
        .where('machine_id', '=', machineId)
        .forUpdate()
        .as('before'),
    )
    .set({ ...to, ...others, before_loss: null })
    .whereRef('sandboxes.id', '=', 'before.id')
    .returning([
      'sandboxes.id',
      'sandboxes.org_id',
      'sandboxes.project_id',
      'sandboxes.shape_name',
      'sandboxes.price_per_hour',
      'sandboxes.reason',
      'before.status',
      'before.paused',
      'before.hibernated',
      'before.control',
      'before.person_called',
    ])
    .executeTakeFirst()
  return row && { sandbox: row, before: row, to }
}

async function noteStateChange(tx: Tx, { sandbox, before, to }: Changed, reason: StateReason): Promise<void> {
  await appendStateChange(tx, { sandbox, from: before, to, reason, sentence: sandbox.reason })
}
