import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '@sandglass/supervision'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { selectMachine } from '../../records/machines.ts'

/** The retries take more than ten minutes. After that, the next start of the service reconciles the machine. */
const maxAttempts = 30

/**
 * Pauses, resumes or stops a machine to match the row of its sandbox, after a change could not be recorded. The caller was told
 * that the change failed, so the state in the database is the right one.
 */
export async function reconcilePower(db: Database, keeper: MachineKeeper, machineId: string): Promise<void> {
  const backoff = new Backoff()
  for (let attempt = 0; attempt < maxAttempts; attempt++)
    try {
      return await reconcileOnce(db, keeper, machineId)
    } catch {
      backoff.failed()
      await delay(backoff.delayMs, undefined, { ref: false })
    }
}

async function reconcileOnce(db: Database, keeper: MachineKeeper, machineId: string): Promise<void> {
  const sandbox = await db
    .selectFrom('sandboxes')
    .select(['status', 'paused', 'hibernated'])
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  const machine = await selectMachine(db, machineId)
  if (!sandbox || !machine?.handle) return
  const engine = keeper.engineOf(machine)
  const { status } = await engine.inspect(machine.handle)
  if ((status === 'running' || status === 'paused') && sandbox.hibernated)
    return await engine.stop?.(machine.handle)
  if (status === 'running' && sandbox.paused) await engine.pause(machine.handle)
  if (status === 'paused' && sandbox.status === 'RUNNING') await engine.resume(machine.handle)
}
