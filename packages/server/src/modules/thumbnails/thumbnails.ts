import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { type SandboxRow, selectExisting } from '../../records/sandboxes.ts'
import type { SandboxWork } from '../sandboxes/lifecycle/sandbox-work.ts'
import { type KnownThumbnail, LastThumbnails } from './last-thumbnails.ts'

/** Small pictures of the screens of this node's machines. */
export class Thumbnails {
  readonly #last = new LastThumbnails()
  readonly #keeper: MachineKeeper
  readonly #work: SandboxWork

  constructor(keeper: MachineKeeper, work: SandboxWork) {
    this.#keeper = keeper
    this.#work = work
  }

  /** Forgets the pictures of sandboxes that have ended. */
  async sweep(db: Database): Promise<void> {
    const ids = this.#last.sandboxIds
    if (ids.length === 0) return
    const existing = new Set(await selectExisting(db, ids))
    for (const id of ids) if (!existing.has(id)) this.#last.forget(id)
  }

  /** Returns the current picture, or the last one that is known if the machine cannot be asked. */
  async of(sandbox: SandboxRow, width: number): Promise<KnownThumbnail> {
    const machine = this.#machineOf(sandbox)
    const current = typeof machine === 'string' ? machine : await this.#ask(machine, sandbox.id, width)
    if (typeof current !== 'string') return current
    const last = this.#last.nearest(sandbox.id, width)
    if (!last) throw new ApiError('sandbox.STATE', { message: `${current} There is no picture of it.` })
    return last
  }

  /** Returns the machine, or why it cannot be asked. */
  #machineOf({ id, status, machine_id: machineId }: SandboxRow): RunningMachine | string {
    // A machine that is just being stopped would not answer.
    if (status !== 'RUNNING' || this.#work.opened(id)) return `The sandbox is ${status}.`
    const unreachable = 'The machine of the sandbox cannot be reached.'
    return (
      this.#keeper.whyUnreachable(machineId ?? '') ?? this.#keeper.machine(machineId ?? '') ?? unreachable
    )
  }

  async #ask(machine: RunningMachine, id: string, width: number): Promise<KnownThumbnail | string> {
    const known = this.#last.get(id, width)
    try {
      const { tag, body } = await machine.screen.thumbnail(width, known?.tag)
      const thumbnail = body ? { tag, body: Buffer.from(body.buffer) } : known
      if (!thumbnail) throw new MachineError('MACHINE_FAILED', 'The machine sent no picture.')
      this.#last.add(id, width, thumbnail)
      return thumbnail
    } catch (error) {
      if (error instanceof MachineError) return error.message.replace(/\.?$/, '.')
      throw error
    }
  }
}
