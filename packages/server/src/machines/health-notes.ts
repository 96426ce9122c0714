import type { MachineHealth, MachineProblem } from '@sandglass/machines/contract'
import type { SandboxHealth } from '@sandglass/protocol'
import { Backoff } from '@sandglass/supervision'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { markHealth } from '../records/transitions.ts'

interface Followed {
  readonly health: () => MachineHealth
  readonly backoff: Backoff
  isWriting: boolean
  isStale: boolean
}

/**
 * Records the current health of the machines of this node in the database. Changes that occur during a write are
 * written together.
 */
export class HealthNotes {
  readonly #db: Database
  readonly #log: Logger
  readonly #followed = new Map<string, Followed>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** The number of machines that have a problem now. */
  get problems(): number {
    return [...this.#followed.values()].filter(({ health }) => health().problem).length
  }

  follow(id: string, machine: RunningMachine): void {
    const followed = this.#track(id, () => machine.health)
    let before = machine.health
    machine.onHealth = health => {
      this.#logChange(id, before, health)
      before = health
      this.#write(id, followed)
    }
  }

  /** Records the problem of a machine that is not open. A later `follow` or `unfollow` ends that. */
  show(id: string, problem: MachineProblem): void {
    this.#write(
      id,
      this.#track(id, () => ({ problem })),
    )
  }

  /** Writes the health even if it has not changed, because the previous process may have written something else. */
  refresh(id: string): void {
    const followed = this.#followed.get(id)
    if (followed) this.#write(id, followed)
  }

  /** Call this when a pooled machine became a sandbox, because the new row does not have the machine's existing problem. */
  refreshProblem(id: string): void {
    if (this.#followed.get(id)?.health().problem) this.refresh(id)
  }

  unfollow(id: string): void {
    this.#followed.delete(id)
  }

  #track(id: string, health: () => MachineHealth): Followed {
    const followed: Followed = { health, backoff: new Backoff(), isWriting: false, isStale: false }
    this.#followed.set(id, followed)
    return followed
  }

  #write(id: string, followed: Followed): void {
    followed.isStale = true
    if (!followed.isWriting) void this.#writeAll(id, followed)
  }

  async #writeAll(id: string, followed: Followed): Promise<void> {
    followed.isWriting = true
    while (followed.isStale && this.#followed.get(id) === followed) {
      followed.isStale = false
      try {
        await markHealth(this.#db, id, wireHealth(followed.health()))
      } catch (error) {
        this.#log.warn(
          { machine: id, error },
          'the health of a machine was not written; it will be tried again',
        )
        followed.isStale = true
        followed.backoff.failed()
        await new Promise(resolve => setTimeout(resolve, followed.backoff.delayMs).unref())
      }
    }
    followed.isWriting = false
  }

  #logChange(machine: string, before: MachineHealth, { problem, lastRestart }: MachineHealth): void {
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
