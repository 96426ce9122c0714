import { MachineError, type MachineStatus } from '@sandglass/machines/contract'
import { type Selectable, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import type { BeforeLoss, SandboxTable } from '../db/schema.ts'
import { transact } from '../db/transact.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import { type MachineRow, selectMachine } from '../records/machines.ts'
import { openSpan } from '../records/usage.ts'

type SandboxRow = Selectable<SandboxTable>
type LostSandbox = SandboxRow & { readonly before_loss: BeforeLoss }

/**
 * Brings back the sandboxes of this node that were declared lost and that nobody has deleted since: one whose machine still runs is
 * RUNNING again and billed from now on; one whose machine has ended stays in ERROR and can be restarted. Machines of sandboxes that were
 * deleted are doomed, and destroyed as any other.
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

  /** May be repeated. A sandbox whose engine gives no answer is tried again the next time. */
  async recover(): Promise<void> {
    for (const sandbox of await this.#selectLost())
      await this.#recoverOne(sandbox).catch(error =>
        this.#log.warn({ sandbox: sandbox.id, error }, 'a lost sandbox was not recovered yet'),
      )
  }

  async #recoverOne(sandbox: LostSandbox): Promise<void> {
    const { id, before_loss: before } = sandbox
    const machine =
      sandbox.machine_id === null ? undefined : await selectMachine(this.#db, sandbox.machine_id)
    // Half-made, or being started again: the reconciler goes on with it from there.
    const isUnfinished = before.status === 'PENDING' && machine !== undefined
    if (machine && !isUnfinished && !this.#keeper.engines.get(machine.engine)) return
    const isAsBefore = isUnfinished || (machine !== undefined && (await this.#fits(before, machine)))
    await transact(this.#db, tx => (isAsBefore ? restore(tx, sandbox) : leaveInError(tx, id)))
    this.#log.info({ sandbox: id, isRecovered: isAsBefore }, 'a sandbox of before the loss was reconciled')
  }

  async #fits(before: BeforeLoss, machine: MachineRow): Promise<boolean> {
    if (!machine.handle) return false
    const { status, reason } = await this.#keeper.engineOf(machine).inspect(machine.handle)
    if (status === 'unreachable') throw new MachineError('UNREACHABLE', reason ?? 'It cannot be reached.')
    return fits(before, status)
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

/** Whether the machine is still what the sandbox was. */
function fits({ status, paused }: BeforeLoss, machine: MachineStatus): boolean {
  if (status === 'RUNNING') return machine === 'running'
  return machine === (paused ? 'paused' : 'stopped')
}

/** Unless it was deleted or restarted meanwhile. */
async function restore(tx: Tx, { id, before_loss: before }: LostSandbox): Promise<void> {
  const row = await tx
    .updateTable('sandboxes')
    .set({ status: before.status, paused: before.paused, reason: before.reason, before_loss: null })
    .where('id', '=', id)
    .where('before_loss', 'is not', null)
    .returning(['id', 'org_id', 'project_id', 'shape_name', 'price_per_hour'])
    .executeTakeFirst()
  if (row && before.status === 'RUNNING') await openSpan(tx, row)
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
