import { MachineError } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../../../db/database.ts'
import type { MachineKeeper } from '../../../machines/keeper.ts'
import type { SandboxRow } from '../../../records/sandboxes.ts'
import { madeMachineOf } from '../made-machine.ts'

/**
 * The share of one processor above which a machine works. A desktop on which nothing but clocks and carets move stays below half of
 * it, also with a browser (docs/lifecycle.md has the measurements).
 */
const workShare = 0.05

/** Shorter observations say little, because programs work in bursts. */
const shortestMs = 2000

interface Sample {
  /** The idle time of the sandbox for which it was taken. A use in between makes it worthless. */
  readonly idleAt: number
  readonly atMs: number
  readonly cpuMs: number
}

/** Whether programs use the processor, between a first look some time before a sandbox is idle and a second one when it is. */
export class ProcessorUse {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #log: Logger
  readonly #samples = new Map<string, Sample>()

  constructor(db: Database, keeper: MachineKeeper, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#log = log
  }

  /** Takes the first sample, unless there is one for the same idle time. */
  async look(sandbox: SandboxRow): Promise<void> {
    const idleAt = Number(sandbox.idle_at)
    if (this.#samples.get(sandbox.id)?.idleAt === idleAt) return
    const cpuMs = await this.#cpuMs(sandbox)
    if (cpuMs === undefined) this.#samples.delete(sandbox.id)
    else this.#samples.set(sandbox.id, { idleAt, atMs: performance.now(), cpuMs })
  }

  /**
   * Whether programs have worked since the first sample. `unknown` if there is none, for example after a start, or if it is too
   * fresh. An engine that does not count processor time knows of no such work.
   */
  async hasWorked(sandbox: SandboxRow): Promise<boolean | 'unknown'> {
    const first = this.#samples.get(sandbox.id)
    const cpuMs = await this.#cpuMs(sandbox)
    if (cpuMs === undefined) return false
    const elapsedMs = performance.now() - (first?.atMs ?? Number.POSITIVE_INFINITY)
    if (!first || first.idleAt !== Number(sandbox.idle_at) || elapsedMs < shortestMs) return 'unknown'
    return cpuMs - first.cpuMs > elapsedMs * workShare
  }

  forget(id: string): void {
    this.#samples.delete(id)
  }

  /** Forgets what was seen of sandboxes that are not near the end of their idle time any more. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#samples.keys()) if (!ids.has(id)) this.#samples.delete(id)
  }

  async #cpuMs(sandbox: SandboxRow): Promise<number | undefined> {
    try {
      const machine = await madeMachineOf(this.#db, sandbox)
      return (await this.#keeper.engineOf(machine).activity?.(machine.handle))?.cpuMs
    } catch (error) {
      // A machine that cannot be asked is left alone, until it can be or its time is up.
      this.#log.warn({ sandbox: sandbox.id, error }, 'the processor time of a machine could not be read')
      throw new MachineError('UNREACHABLE', 'The processor time of the machine is not known.')
    }
  }
}
