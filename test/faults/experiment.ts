import { waitFor } from '@sandglass/machines/testing'
import { descendantsOf } from '../support/host-processes.ts'
import type { Activity } from './activities/activity.ts'
import { checkAll, checkAnswers, checksOf } from './check.ts'
import type { Job } from './jobs/job.ts'
import { jobsOf, probesOf } from './jobs-of.ts'
import { type Result, refusalsIn } from './results.ts'
import { Workload } from './workload.ts'
import type { World } from './world.ts'

/** A fault, and what must hold afterwards. */
export interface Experiment {
  readonly target: string
  readonly fault: string
  readonly activity?: ((world: World) => Promise<Activity>) | undefined
  /** Resolves when the fault is over. */
  inject(workload: Workload): Promise<void>
  /** The repair by somebody outside, if the service cannot do it itself. */
  repair?(): Promise<void>
  /** Whether the process is back. */
  isBack?(): Promise<boolean>
  /** Whether connections to the service may break. */
  readonly mayBreakOff?: boolean
}

/** Runs one experiment after the other in a world, under one workload. */
export class FaultRunner {
  readonly world: World
  readonly random: () => number
  readonly #workload: Workload
  readonly #probes: readonly Job[]

  constructor(world: World, random: () => number) {
    this.world = world
    this.random = random
    this.#workload = new Workload(jobsOf(world, random))
    this.#probes = probesOf(world, random)
  }

  /** Begins at a random moment. Throws if a promise is broken during the fault or afterwards. */
  async run(experiment: Experiment): Promise<Result> {
    const { service } = this.world.installation
    if (experiment.mayBreakOff) return await this.#run(experiment)
    const crash = service.exit().then(() => {
      throw new Error(`the service ended by itself: ${service.printed.slice(-4000)}`)
    })
    return await Promise.race([this.#run(experiment), crash])
  }

  async #run(experiment: Experiment): Promise<Result> {
    const { world } = this
    // Unchecked results of a failed experiment must not fail this one.
    world.calls.audited.length = 0
    const activity = await experiment.activity?.(world)
    this.#workload.start()
    try {
      await this.#workload.succeededAnew(1 + Math.floor(this.random() * 3))
      const startedBefore = await descendantsOf(world.installation.service.pid)
      const callsBefore = world.calls.made.length
      await experiment.inject(this.#workload)
      const overAtMs = performance.now()
      await experiment.repair?.()
      await this.#restored(experiment, activity)
      const restoredMs = performance.now() - overAtMs
      await this.#workload.stop()
      await activity?.end()

      const calls = world.calls.made.slice(callsBefore)
      await checkAll([
        () => checkAnswers(calls, experiment.mayBreakOff ?? false),
        ...checksOf(world, [...this.#workload.jobs, ...this.#probes], startedBefore),
      ])
      return {
        target: experiment.target,
        fault: experiment.fault,
        restoredMs,
        longestCallMs: Math.max(...calls.map(({ tookMs }) => tookMs)),
        refusals: refusalsIn(calls),
      }
    } finally {
      await this.#workload.stop()
    }
  }

  async #restored(experiment: Experiment, activity: Activity | undefined): Promise<void> {
    await waitFor(async () => (await experiment.isBack?.()) !== false)
    await Promise.all([
      ...this.#probes.map(probe => waitFor(() => probe.step())),
      ...(activity ? [waitFor(() => activity.isAlive())] : []),
    ])
  }
}
