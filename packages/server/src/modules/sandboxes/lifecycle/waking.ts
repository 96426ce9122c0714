import { ApiError } from '@sandglass/protocol'
import { appendAudit } from '../../../audit/store.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { transact } from '../../../db/transact.ts'
import type { MachineKeeper } from '../../../machines/keeper.ts'
import { lockById, type SandboxRow, selectById } from '../../../records/sandboxes.ts'
import type { MachinePower } from '../power.ts'
import type { SandboxWork } from './sandbox-work.ts'

/** How long a call waits. Published clients give up after 10 s. */
const maxWaitMs = 9000
const retrySeconds = 2

export interface WakingParts {
  readonly db: Database
  readonly keeper: MachineKeeper
  readonly power: MachinePower
  readonly work: SandboxWork
}

/** Wakes sandboxes of this node that are called while they are asleep, if their rules say so. */
export class Waking {
  readonly #parts: WakingParts
  /** Calls that come at the same time share one wake. */
  readonly #waking = new Map<string, Promise<void>>()
  /** Called when a hibernated sandbox was started again, so that its agent has control. */
  onRestart: (sandboxId: string) => Promise<void> = async () => {}

  constructor(parts: WakingParts) {
    this.#parts = parts
  }

  /**
   * Returns a sandbox as it is after it was woken. It is returned as it is if it runs, or if its rules do not say that it wakes.
   * Call this only in the process that has the machine.
   */
  async awake(sandbox: SandboxRow): Promise<SandboxRow> {
    const opened = this.#parts.work.opened(sandbox.id)
    if (!opened && (sandbox.status === 'RUNNING' || !sandbox.auto_resume)) return sandbox
    const until = performance.now() + maxWaitMs
    if (opened) await inTime(until, opened)
    const current = opened ? await this.#read(sandbox.id) : sandbox
    if (current.status === 'RUNNING' || !current.auto_resume) return current
    if (current.status === 'PENDING') await inTime(until, this.#arrival(current))
    else if (current.paused || current.hibernated) await inTime(until, this.#wake(current))
    else return current
    return await this.#read(sandbox.id)
  }

  /** Does the same for a sandbox whose row has to be read first. */
  async awakeById(id: string): Promise<SandboxRow> {
    return await this.awake(await this.#read(id))
  }

  async #arrival({ id, machine_id: machineId }: SandboxRow): Promise<void> {
    await (this.#waking.get(id) ?? this.#parts.keeper.arrival(machineId ?? ''))
  }

  #wake({ id }: SandboxRow): Promise<void> {
    const waking = this.#waking.get(id) ?? this.#resume(id).finally(() => this.#waking.delete(id))
    this.#waking.set(id, waking)
    return waking
  }

  /** Does nothing if another call has woken it since the caller read its row. */
  async #resume(id: string): Promise<void> {
    const { power } = this.#parts
    const sandbox = await this.#read(id)
    if (!sandbox.paused && !sandbox.hibernated) return
    if (!sandbox.hibernated)
      return await power.resume(sandbox, {
        attempt: async () => {},
        done: work => this.#record(sandbox, work),
      })
    let isStarted = false
    await this.#record(sandbox, async (tx, locked) => {
      if (locked.hibernated) await power.beginRestart(tx, locked)
      isStarted = locked.hibernated
    })
    if (!isStarted) return
    await this.onRestart(sandbox.id)
    await power.wake(sandbox)
  }

  async #record(
    { id, org_id }: SandboxRow,
    work: (tx: Tx, sandbox: SandboxRow) => Promise<void>,
  ): Promise<void> {
    await transact(this.#parts.db, async tx => {
      const locked = await lockById(tx, id)
      if (!locked) throw new ApiError('sandbox.NOT_FOUND')
      await work(tx, locked)
      await appendAudit(tx, {
        org_id,
        actor_kind: 'service',
        actor_id: 'autoResume',
        operation: 'resumeSandbox',
        target: id,
        outcome: 'done',
        address: null,
        request_id: '',
      })
    })
  }

  async #read(id: string): Promise<SandboxRow> {
    const sandbox = await selectById(this.#parts.db, id)
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    return sandbox
  }
}

/** Waits for work until a time of this process. The work goes on after it. */
async function inTime(untilMs: number, work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => over.reject(new ApiError('sandbox.WAKING', { retryAfter: retrySeconds })),
    untilMs - performance.now(),
  )
  await Promise.race([work, over.promise]).finally(() => clearTimeout(timer))
}
