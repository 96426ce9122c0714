import { setTimeout as delay } from 'node:timers/promises'
import { MachineError, type TakenSnapshot } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import type { Call } from '../../http/api.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { SavedDiskRow } from '../../records/saved-disks.ts'
import { diskFailure, engineFailure, recordFailure } from '../sandboxes/engine-failure.ts'
import { type MadeMachine, madeMachineOf } from '../sandboxes/made-machine.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'

/** Callers give up after 10 s. A disk that takes longer to save is reported as CREATING, and saved all the same. */
const maxWaitMs = 7000

type Change = Call<string, unknown, unknown>['change']

/** Inserts the row of what the disk is saved for. It inserts the disk after it has checked quotas. */
export type RecordSaved<T> = (
  tx: Tx,
  insertDisk: () => Promise<SavedDiskRow>,
) => Promise<{ readonly answer: T; readonly target: string }>

/** What was recorded, and the saved disk unless it is not ready yet or the answer is that of an earlier request. */
export interface Saved<T> {
  readonly answer: T
  readonly taken?: TakenSnapshot
}

/** Saves the disks of sandboxes for images and snapshots, on the node that has the machine. */
export class DiskSaving {
  readonly #parts: Pick<SandboxParts, 'db' | 'keeper' | 'disks'>

  constructor(parts: Pick<SandboxParts, 'db' | 'keeper' | 'disks'>) {
    this.#parts = parts
  }

  /** Returns the machine of a sandbox, and throws if its disk, or its `memory` if that is wanted, cannot be saved now. */
  async machineOf(sandbox: SandboxRow, memory = false): Promise<MadeMachine> {
    const { db, keeper, disks } = this.#parts
    const machine = await madeMachineOf(db, sandbox)
    const reason = keeper.whyUnreachable(machine.id)
    if (reason !== undefined)
      throw new ApiError('sandbox.UNREACHABLE', { message: `${reason} Nothing was done.`, retryAfter: 1 })
    if (!disks.snapshotsOf(machine)) throw new ApiError('snapshot.UNSUPPORTED')
    if (memory && !keeper.engineOf(machine).capabilities.saveMemory) throw new ApiError('snapshot.NO_MEMORY')
    return machine
  }

  /**
   * Records an image or a snapshot, and then saves the disk for it. `onReady` runs in the transaction that makes it READY.
   * Throws if saving fails soon; the image or the snapshot is in ERROR then.
   */
  async save<T>(
    machine: MadeMachine,
    change: Change,
    record: RecordSaved<T>,
    { onReady, memory }: { readonly onReady?: (tx: Tx) => Promise<void>; readonly memory?: boolean } = {},
  ): Promise<Saved<T>> {
    const { disks } = this.#parts
    using held = disks.hold()
    const begun: { saving?: Promise<TakenSnapshot> } = {}
    const answer = await change(async tx => {
      const inserted: { disk?: SavedDiskRow } = {}
      const recorded = await record(tx, async () => {
        inserted.disk = await disks.insert(tx, held, machine, memory)
        return inserted.disk
      })
      const { disk } = inserted
      return {
        ...recorded,
        after: () => {
          if (disk) begun.saving = disks.save(machine, disk, onReady)
        },
      }
    })
    return begun.saving ? { answer, ...(await outcomeOf(begun.saving)) } : { answer }
  }
}

async function outcomeOf(saving: Promise<TakenSnapshot>): Promise<{ taken?: TakenSnapshot }> {
  const saved = saving.then(
    taken => ({ taken }),
    error => {
      throw saveFailure(error)
    },
  )
  // What fails after the answer is shown by the image or the snapshot.
  saved.catch(() => {})
  return await Promise.race([saved, delay(maxWaitMs, {}, { ref: false })])
}

/** Returns the error for a caller whose disk could not be saved. */
export function saveFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  const known = engineFailure(cause) ?? diskFailure(cause) ?? recordFailure(cause, 'The disk was not saved.')
  if (known) return known
  const message = cause instanceof MachineError ? cause.message : 'The disk could not be saved.'
  const isState = cause instanceof MachineError && cause.code === 'STATE'
  return new ApiError(isState ? 'sandbox.STATE' : 'machine.FAILED', { message, cause })
}
