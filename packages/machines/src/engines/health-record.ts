import type { Failure } from '@sandglass/supervision'
import type { ComponentRestart, MachineHealth, MachineProblem } from '../contract/health.ts'

/** Collects the health of a machine from its components. */
export class HealthRecord {
  #health: MachineHealth = {}
  onChange: (health: MachineHealth) => void = () => {}

  get now(): MachineHealth {
    return this.#health
  }

  /** Records why the screen cannot be reached, or with `undefined` that it can be reached again. */
  screenFailed(failure: Failure | undefined): void {
    const { problem: before, ...rest } = this.#health
    // Only the first of consecutive failures is reported.
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
