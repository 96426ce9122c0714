import { setTimeout as delay } from 'node:timers/promises'
import { type Death, wholeMachine } from '@sandglass/machines/contract'
import type { Lull } from '@sandglass/supervision'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { HealthNotes } from './health-notes.ts'
import { UnreachableMachines } from './unreachable.ts'

/** How long the opening of a machine that was handed out waits for creates, or keeps that of the next one waiting. */
const maxWaitMs = 2000

/** The machines of this node that are open, with their health, and those that should be but cannot be reached. */
export class WatchedMachines {
  /** Machines that should run but cannot be reached. */
  readonly unreachable: UnreachableMachines
  readonly #health: HealthNotes
  readonly #log: Logger
  readonly #onChange: (id: string) => void
  readonly #machines = new Map<string, RunningMachine>()
  #reopening: Promise<void> = Promise.resolve()
  #closed = false

  /** `onChange` is called when a machine becomes available or unavailable. */
  constructor(db: Database, log: Logger, onChange: (id: string) => void) {
    this.#log = log
    this.#onChange = onChange
    this.#health = new HealthNotes(db, log)
    this.unreachable = new UnreachableMachines(this.#health, log)
  }

  /** The number of machines that have a problem now. */
  get problems(): number {
    return this.#health.problems
  }

  /** The ids of the machines that are open or cannot be reached. */
  get ids(): string[] {
    return [...this.#machines.keys(), ...this.unreachable.ids]
  }

  has(id: string): boolean {
    return this.#machines.has(id)
  }

  get(id: string): RunningMachine | undefined {
    return this.#machines.get(id)
  }

  /** Returns why a machine cannot be reached, as a sentence, or undefined if no such problem is known. */
  whyUnreachable(id: string): string | undefined {
    const problem = this.#machines.get(id)?.health.problem
    return problem?.component === wholeMachine ? problem.reason : this.unreachable.reasonOf(id)
  }

  /**
   * Records that a pooled machine became a sandbox of a tenant. It is opened for the tenant after a lull of the creates, one
   * machine after the other, or when it is used.
   */
  handOut(id: string, tenant: string, creates: Lull): void {
    const machine = this.#machines.get(id)
    machine?.belongsTo(tenant)
    this.#health.refreshProblem(id)
    if (!machine) return
    this.#reopening = this.#reopening.then(async () => {
      await creates.wait(maxWaitMs)
      if (this.#machines.get(id) !== machine || this.#closed) return
      // What comes of it is reported as the health of the machine.
      const attempt = machine.reopen().catch(() => {})
      await Promise.race([attempt, delay(maxWaitMs, undefined, { ref: false })])
    })
  }

  /** Writes the health even if it has not changed, because the previous process may have written something else. */
  refresh(id: string): void {
    this.#health.refresh(id)
  }

  /** Watches a machine, and reports its death even if it died before this call. */
  add(id: string, machine: RunningMachine, onDeath: (death: Death) => void): void {
    if (this.#closed) {
      machine.close()
      return
    }
    this.unreachable.drop(id)
    this.#machines.set(id, machine)
    this.#health.follow(id, machine)
    this.#onChange(id)
    void machine.died.then(death => {
      if (this.#machines.get(id) !== machine || this.#closed) return
      this.#machines.delete(id)
      this.#health.unfollow(id)
      this.#onChange(id)
      this.#log.warn({ machine: id, reason: death.reason }, 'a machine ended unexpectedly')
      onDeath(death)
    })
  }

  /** Closes the machine, which keeps running. */
  drop(id: string): void {
    this.unreachable.drop(id)
    const machine = this.#machines.get(id)
    this.#machines.delete(id)
    this.#health.unfollow(id)
    machine?.close()
    if (machine && !this.#closed) this.#onChange(id)
  }

  close(): void {
    this.#closed = true
    this.unreachable.close()
    for (const id of [...this.#machines.keys()]) this.drop(id)
  }
}
