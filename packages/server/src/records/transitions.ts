import type { SandboxHealth } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { asleepClock, awakeClock } from './life-clock.ts'
import { closeSpan, openSpan } from './usage.ts'

/** Marks the sandbox of a machine as RUNNING and starts to charge for it. */
export async function markRunning(tx: Tx, machineId: string): Promise<void> {
  const row = await tx
    .updateTable('sandboxes')
    .set({
      status: 'RUNNING',
      reason: null,
      paused: false,
      hibernated: false,
      health: null,
      before_loss: null,
      ...awakeClock,
    })
    .where('machine_id', '=', machineId)
    .returning(['id', 'org_id', 'project_id', 'shape_name', 'price_per_hour'])
    .executeTakeFirst()
  if (row) await openSpan(tx, row)
}

/** Records a problem of the machine, or clears it. */
export async function markHealth(
  db: Database,
  machineId: string,
  health: SandboxHealth | undefined,
): Promise<void> {
  await db
    .updateTable('sandboxes')
    .set({ health: health ? JSON.stringify(health) : null })
    .where('machine_id', '=', machineId)
    .execute()
}

/** Marks the sandbox as ERROR after its machine could not be created or restarted. */
export async function markFailed(tx: Tx, machineId: string, reason: string): Promise<void> {
  await leaveRunning(tx, machineId, 'ERROR', reason)
}

/** Marks the sandbox as ended after its machine ended by itself. Returns false if the machine had no sandbox. */
export async function markDead(
  tx: Tx,
  machineId: string,
  reason: string,
  orderly: boolean,
): Promise<boolean> {
  return leaveRunning(tx, machineId, orderly ? 'STOPPED' : 'ERROR', reason)
}

/** How a sandbox is put to sleep. */
export interface Sleep {
  /** How long it is kept if it is to be paused when its time is up. */
  readonly keepSeconds: number
  /** Why, as a sentence. It is left out if a caller asked for it. */
  readonly reason?: string | undefined
}

export async function markPaused(tx: Tx, machineId: string, { keepSeconds, reason }: Sleep): Promise<void> {
  await leaveRunning(tx, machineId, 'STOPPED', reason ?? 'It is paused.', {
    paused: true,
    ...asleepClock(keepSeconds),
  })
}

/** Marks the sandbox as STOPPED, with its files on disk and nothing in memory. */
export async function markHibernated(
  tx: Tx,
  machineId: string,
  { keepSeconds, reason }: Sleep,
): Promise<void> {
  await leaveRunning(tx, machineId, 'STOPPED', reason ?? 'It is hibernated.', {
    hibernated: true,
    ...asleepClock(keepSeconds),
  })
}

/** Marks the sandbox as PENDING during a restart, a wake or a restore. */
export async function markRestarting(tx: Tx, machineId: string): Promise<void> {
  await leaveRunning(tx, machineId, 'PENDING', null)
}

type Asleep = { readonly paused?: boolean; readonly hibernated?: boolean } & Partial<
  ReturnType<typeof asleepClock>
>

async function leaveRunning(
  tx: Tx,
  machineId: string,
  status: 'PENDING' | 'STOPPED' | 'ERROR',
  reason: string | null,
  { paused = false, hibernated = false, ...clock }: Asleep = {},
): Promise<boolean> {
  const row = await tx
    .updateTable('sandboxes')
    .set({
      status,
      reason,
      paused,
      hibernated,
      before_loss: null,
      ...clock,
      ...(status === 'PENDING' && { control: 'agent', person_called: false }),
    })
    .where('machine_id', '=', machineId)
    .returning('id')
    .executeTakeFirst()
  if (row) await closeSpan(tx, row.id, sql<Date>`now()`)
  return row !== undefined
}
