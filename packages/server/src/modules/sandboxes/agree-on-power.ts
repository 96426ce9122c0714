import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '@sandglass/supervision'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { selectMachine } from '../../records/machines.ts'

/** More than ten minutes of retries. After that the next start brings the machine to what its row says. */
const maxAttempts = 30

/**
 * Pauses or resumes a machine until it is as its sandbox says, after a change of it could not be recorded. Nobody was
 * told that the change was made, so what the database has is right.
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
    .select(['status', 'paused'])
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  const machine = await selectMachine(db, machineId)
  if (!sandbox || !machine?.handle) return
  const engine = keeper.engineOf(machine)
  const { status } = await engine.inspect(machine.handle)
  if (status === 'running' && sandbox.paused) await engine.pause(machine.handle)
  if (status === 'paused' && sandbox.status === 'RUNNING') await engine.resume(machine.handle)
}
