import type { Machine, MachineHealth, MachineProblem } from '@sandglass/machines/contract'
import type { SandboxHealth } from '@sandglass/protocol'
import { Backoff } from '@sandglass/supervision'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { markHealth } from '../records/transitions.ts'

interface Noted {
  readonly health: () => MachineHealth
  readonly backoff: Backoff
  isWriting: boolean
  isStale: boolean
}

/** Writes down how the machines of this node are, each as it is now: what changed again meanwhile is written once. */
export class HealthNotes {
  readonly #db: Database
  readonly #log: Logger
  readonly #noted = new Map<string, Noted>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** How many machines have a problem now. */
  get problems(): number {
    return [...this.#noted.values()].filter(({ health }) => health().problem).length
  }

  follow(id: string, machine: Machine): void {
    const noted = this.#note(id, () => machine.health)
    let before = machine.health
    machine.onHealth = health => {
      this.#report(id, before, health)
      before = health
      this.#write(id, noted)
    }
  }

  /** Writes the problem of a machine that is not at hand; `follow` or `leave` ends that. */
  show(id: string, problem: MachineProblem): void {
    this.#write(
      id,
      this.#note(id, () => ({ problem })),
    )
  }

  /** Writes it also where nothing has changed, since the process before this one may have written something else. */
  refresh(id: string): void {
    const noted = this.#noted.get(id)
    if (noted) this.#write(id, noted)
  }

  /** A machine of the pool became a sandbox, whose row knows nothing of what was wrong before. */
  refreshProblem(id: string): void {
    if (this.#noted.get(id)?.health().problem) this.refresh(id)
  }

  leave(id: string): void {
    this.#noted.delete(id)
  }

  #note(id: string, health: () => MachineHealth): Noted {
    const noted: Noted = { health, backoff: new Backoff(), isWriting: false, isStale: false }
    this.#noted.set(id, noted)
    return noted
  }

  #write(id: string, noted: Noted): void {
    noted.isStale = true
    if (!noted.isWriting) void this.#writeAll(id, noted)
  }

  async #writeAll(id: string, noted: Noted): Promise<void> {
    noted.isWriting = true
    while (noted.isStale && this.#noted.get(id) === noted) {
      noted.isStale = false
      try {
        await markHealth(this.#db, id, wireHealth(noted.health()))
      } catch (error) {
        this.#log.warn(
          { machine: id, error },
          'the health of a machine was not written; it will be tried again',
        )
        noted.isStale = true
        noted.backoff.failed()
        await new Promise(resolve => setTimeout(resolve, noted.backoff.delayMs).unref())
      }
    }
    noted.isWriting = false
  }

  #report(machine: string, before: MachineHealth, { problem, lastRestart }: MachineHealth): void {
    if (problem && !before.problem) this.#log.warn({ machine, ...problem }, 'a machine cannot be reached')
    if (!problem && before.problem) this.#log.info({ machine }, 'a machine can be reached again')
    if (lastRestart && lastRestart !== before.lastRestart)
      this.#log.warn({ machine, ...lastRestart }, 'a part of a desktop was restarted')
  }
}

function wireHealth({ problem, lastRestart }: MachineHealth): SandboxHealth | undefined {
  if (!problem && !lastRestart) return undefined
  return {
    ...(problem && { problem: { ...problem, since: problem.since.toISOString() } }),
    ...(lastRestart && { lastRestart: { ...lastRestart, at: lastRestart.at.toISOString() } }),
  }
}
