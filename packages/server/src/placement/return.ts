import { MachineError, type MachineStatus } from '@sandglass/machines/contract'
import { type Selectable, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import type { BeforeLoss, SandboxTable } from '../db/schema.ts'
import { transact } from '../db/transact.ts'
import { eachMachine } from '../machines/each-machine.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import { awakeClock } from '../records/life-clock.ts'
import { type MachineRow, selectMachine } from '../records/machines.ts'
import { appendStateChange } from '../records/state-events.ts'
import { openSpan } from '../records/usage.ts'

type SandboxRow = Selectable<SandboxTable>
type LostSandbox = SandboxRow & { readonly before_loss: BeforeLoss }

/**
 * Recovers the sandboxes of this node that were declared lost and that nobody has deleted since. A sandbox whose machine still runs
 * is RUNNING again and billed from now on; one whose machine has ended stays in ERROR and can be restarted. Machines of deleted
 * sandboxes are doomed and are destroyed like any other doomed machine.
 */
export class ReturnedSandboxes {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #log: Logger

  constructor(db: Database, keeper: MachineKeeper, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#log = log
  }

  /** Safe to repeat. A sandbox whose engine does not answer is tried again by the next call. */
  async recover(): Promise<void> {
    await eachMachine(await this.#selectLost(), sandbox =>
      this.#recoverOne(sandbox).catch(error =>
        this.#log.warn({ sandbox: sandbox.id, error }, 'a lost sandbox was not recovered yet'),
      ),
    )
  }

  async #recoverOne(sandbox: LostSandbox): Promise<void> {
    const { id, before_loss: before } = sandbox
    const machine =
      sandbox.machine_id === null ? undefined : await selectMachine(this.#db, sandbox.machine_id)
    // A create or a restart was under way, which the reconciler continues.
    const isUnfinished = before.status === 'PENDING' && machine !== undefined
    if (machine && !isUnfinished && !this.#keeper.engines.get(machine.engine)) return
    const isUnchanged = isUnfinished || (machine !== undefined && (await this.#isAsBefore(before, machine)))
    await transact(this.#db, tx => (isUnchanged ? restore(tx, sandbox) : leaveInError(tx, id)))
    this.#log.info({ sandbox: id, isRecovered: isUnchanged }, 'a sandbox of before the loss was reconciled')
  }

  async #isAsBefore(before: BeforeLoss, machine: MachineRow): Promise<boolean> {
    if (!machine.handle) return false
    const { status, reason } = await this.#keeper.engineOf(machine).inspect(machine.handle)
    if (status === 'unreachable') throw new MachineError('UNREACHABLE', reason ?? 'It cannot be reached.')
    return isAsBefore(before, status)
  }

  async #selectLost(): Promise<LostSandbox[]> {
    const rows = await this.#db
      .selectFrom('sandboxes')
      .selectAll()
      .where('node_id', '=', this.#keeper.nodeId)
      .where('before_loss', 'is not', null)
      .execute()
    return rows.flatMap(({ before_loss, ...row }) => (before_loss ? [{ ...row, before_loss }] : []))
  }
}

/** Whether the machine is still in the state that the sandbox had before the loss. */
function isAsBefore({ status, paused }: BeforeLoss, machine: MachineStatus): boolean {
  if (status === 'RUNNING') return machine === 'running'
  return machine === (paused ? 'paused' : 'stopped')
}

/** Restores the state from before the loss, unless the sandbox was deleted or restarted in the meantime. */
async function restore(tx: Tx, { id, before_loss: before }: LostSandbox): Promise<void> {
  const row = await tx
    .updateTable('sandboxes')
    .set({
      status: before.status,
      paused: before.paused,
      hibernated: before.hibernated === true,
      reason: before.reason,
      before_loss: null,
      ...(before.status === 'RUNNING' && awakeClock),
    })
    .where('id', '=', id)
    .where('before_loss', 'is not', null)
    .returning(['id', 'org_id', 'project_id', 'shape_name', 'price_per_hour'])
    .executeTakeFirst()
  if (!row) return
  if (before.status === 'RUNNING') await openSpan(tx, row)
  await appendStateChange(tx, {
    sandbox: row,
    from: { status: 'ERROR', paused: false, hibernated: false },
    to: { ...before, hibernated: before.hibernated === true },
    reason: 'node-returned',
    sentence: before.reason,
  })
}

async function leaveInError(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('sandboxes')
    .set({
      reason: sql<string>`split_part(reason, '. ', 1) || '. The node is back, but the machine has ended. Restart the sandbox, or delete it.'`,
      before_loss: null,
    })
    .where('id', '=', id)
    .where('before_loss', 'is not', null)
    .execute()
}
