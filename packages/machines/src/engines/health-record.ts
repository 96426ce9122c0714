import type { Failure } from '@sandglass/supervision'
import {
  type ComponentRestart,
  type MachineHealth,
  type MachineProblem,
  wholeMachine,
} from '../contract/health.ts'

/** Collects the health of a machine from its components. */
export class HealthRecord {
  #health: MachineHealth = {}
  #screen: MachineProblem | undefined
  #machine: MachineProblem | undefined
  onChange: (health: MachineHealth) => void = () => {}

  get now(): MachineHealth {
    return this.#health
  }

  /** Records why the screen cannot be reached, or with `undefined` that it can be reached again. */
  screenFailed(failure: Failure | undefined): void {
    this.#screen = failure && problemOf('screen', 'The screen cannot be reached', failure)
    this.#show()
  }

  /** The same for the whole machine, which explains whatever else is wrong. */
  machineFailed(failure: Failure | undefined): void {
    this.#machine = failure && problemOf(wholeMachine, 'The machine cannot be reached', failure)
    this.#show()
  }

  #show(): void {
    const { problem: before, ...rest } = this.#health
    const problem = this.#machine ?? this.#screen
    // Only the first of consecutive failures is reported.
    if (problem?.component === before?.component) return
    this.#set(problem ? { ...rest, problem } : rest)
  }

  restarted(restart: ComponentRestart): void {
    this.#set({ ...this.#health, lastRestart: restart })
  }

  #set(health: MachineHealth): void {
    this.#health = health
    this.onChange(health)
  }
}

function problemOf(component: string, what: string, { reason, since }: Failure): MachineProblem {
  const cause = reason instanceof Error ? reason.message : String(reason)
  return { component, reason: `${what}: ${cause}`, since }
}
