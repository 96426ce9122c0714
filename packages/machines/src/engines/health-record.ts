import type { Failure } from '@sandglass/supervision'
import type { ComponentRestart, MachineHealth, MachineProblem } from '../contract/health.ts'

/** Collects what is known of a machine's health. */
export class HealthRecord {
  #health: MachineHealth = {}
  onChange: (health: MachineHealth) => void = () => {}

  get now(): MachineHealth {
    return this.#health
  }

  /** The screen cannot be reached for this reason; `undefined` when it can again. */
  screenFailed(failure: Failure | undefined): void {
    const { problem: before, ...rest } = this.#health
    // Further failures of the same kind are no news.
    if (failure && before) return
    this.#set(failure ? { ...rest, problem: problemOf(failure) } : rest)
  }

  restarted(restart: ComponentRestart): void {
    this.#set({ ...this.#health, lastRestart: restart })
  }

  #set(health: MachineHealth): void {
    this.#health = health
    this.onChange(health)
  }
}

function problemOf({ reason, since }: Failure): MachineProblem {
  const cause = reason instanceof Error ? reason.message : String(reason)
  return { component: 'screen', reason: `The screen cannot be reached: ${cause}`, since }
}
