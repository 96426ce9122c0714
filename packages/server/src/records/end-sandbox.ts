import type { EndReason } from '@sandglass/protocol'
import { sql } from 'kysely'
import { appendAudit, inChainOrder } from '../audit/store.ts'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { type EventActor, expiryActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'
import { keepStopped, lockEnded } from './due-sandboxes.ts'
import { insertEnded } from './ended-sandboxes.ts'
import { doomMachine } from './machines.ts'
import { deleteSandboxRow, type SandboxRow } from './sandboxes.ts'
import { closeSpan } from './usage.ts'

/** How many sandboxes are ended in one transaction. */
const batch = 50

/** Deletes a locked sandbox. Callers no longer see it, and the node that has its machine destroys the machine later. */
export async function endSandbox(
  tx: Tx,
  sandbox: SandboxRow,
  reason: EndReason,
  actor?: EventActor,
): Promise<void> {
  // Do not charge for time after the expiry, even if no process was running to end the sandbox then.
  await closeSpan(tx, sandbox.id, sql<Date>`least(now(), ${sandbox.expires_at})`)
  await insertEnded(tx, sandbox, reason)
  await deleteSandboxRow(tx, sandbox.id)
  if (sandbox.machine_id !== null) await doomMachine(tx, sandbox.machine_id)
  await appendEvent(tx, {
    orgId: sandbox.org_id,
    type: 'sandbox.deleted',
    subject: sandbox.id,
    data: { reason },
    actor,
  })
}

/**
 * Ends every expired or idle sandbox, and keeps those that do not run and are to be paused instead. Processes that run this at
 * the same time never end a sandbox twice.
 */
export async function endExpired(db: Database, keepSeconds: number): Promise<number> {
  await keepStopped(db, keepSeconds)
  const ended = await transact(db, async tx => {
    const sandboxes = await lockEnded(tx, batch)
    for (const sandbox of inChainOrder(sandboxes)) {
      const { is_over: isOver, ...row } = sandbox
      await expireSandbox(tx, row, isOver ? (row.kept ? 'not-woken' : 'expired') : 'idle')
    }
    return sandboxes.length
  })
  return ended < batch ? ended : ended + (await endExpired(db, keepSeconds))
}

/** Ends a locked sandbox because of its rules. */
export async function expireSandbox(tx: Tx, sandbox: SandboxRow, reason: EndReason): Promise<void> {
  await endSandbox(tx, sandbox, reason, expiryActor)
  await appendAudit(tx, {
    org_id: sandbox.org_id,
    actor_kind: expiryActor.kind,
    actor_id: expiryActor.id,
    operation: 'expireSandbox',
    target: sandbox.id,
    outcome: 'done',
    address: null,
    request_id: '',
  })
}
