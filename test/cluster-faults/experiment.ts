import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import { type Check, checkAll, checkAnswers, checkLog } from '../faults/check.ts'
import { Actions } from '../faults/jobs/actions.ts'
import { Files } from '../faults/jobs/files.ts'
import { Sandboxes } from '../faults/jobs/sandboxes.ts'
import { Viewers } from '../faults/jobs/viewers.ts'
import { refusalsIn } from '../faults/results.ts'
import { Workload } from '../faults/workload.ts'
import type { ClusterWorld } from './cluster-world.ts'
import type { ClusterFault } from './faults.ts'
import type { KeptSandbox } from './kept-sandbox.ts'
import { differences, placesOf } from './machines.ts'
import { Scene } from './scene.ts'
import { promisedMs, TrueStates } from './true-states.ts'

/** Long, because starting what was killed needs the processors too. */
const pauseMs = 500

export interface ClusterResult {
  /** How long it took until the loss of a member was reported, if it was, in time of the box. */
  readonly reportedMs: number | undefined
  /** How long a front that was killed took until it served again, if one was. */
  readonly servedMs: number | undefined
  readonly restoredMs: number
  readonly longestCallMs: number
  readonly refusals: readonly string[]
}

/** Injects one fault after the other into a cluster that is used. */
export class ClusterFaultRunner {
  readonly #world: ClusterWorld
  readonly #files: readonly Files[]
  readonly #creates: Sandboxes
  readonly #ofSandboxes: ReadonlyMap<KeptSandbox, Workload>
  readonly #states: TrueStates
  readonly #ofCluster: Workload

  constructor(world: ClusterWorld) {
    this.#world = world
    const { random } = world
    const [first = assert.fail('there are no sandboxes')] = world.sandboxes
    const files = new Map(world.sandboxes.map(sandbox => [sandbox, new Files(sandbox, 'faults', random)]))
    this.#files = [...files.values()]
    this.#ofSandboxes = new Map(
      [...files].map(([sandbox, job]) => [
        sandbox,
        new Workload([job, new Actions(sandbox, random), new Viewers(sandbox)], pauseMs),
      ]),
    )
    // A create is acknowledged before there is a machine, so it may fail with the member that was to have it.
    this.#creates = new Sandboxes(first, ({ status, reason }) => status === 'ERROR' && reason !== undefined)
    this.#states = new TrueStates(world)
    this.#ofCluster = new Workload([this.#creates, this.#states], pauseMs)
  }

  /** Starts the jobs, and settles when each has succeeded. */
  async start(): Promise<void> {
    for (const workload of this.#workloads) workload.start()
    await this.#allWork()
  }

  /** How long something false was reported at most, in time of the box. */
  get longestFalseMs(): number {
    return this.#states.longestMs
  }

  /**
   * Injects a fault while the jobs run, and settles when each of them succeeds again. Throws if a call was answered wrongly, or if the
   * loss of a member was reported too late.
   */
  async run(fault: ClusterFault): Promise<ClusterResult> {
    const world = this.#world
    const callsBefore = world.calls.made.length
    const scene = new Scene(world, this.#ofSandboxes, await placesOf(world))
    await fault.inject(scene)
    const overAtMs = performance.now()
    await this.#isWhole()
    await Promise.all(world.sandboxes.map(sandbox => sandbox.recover()))
    await this.#allWork()
    const restoredMs = performance.now() - overAtMs
    const calls = world.calls.made.slice(callsBefore)
    checkAnswers(calls, fault.mayBreakOff ?? false)
    const { reportedMs, servedMs } = scene
    if (reportedMs !== undefined)
      assert.ok(reportedMs < promisedMs, `the loss was reported after ${Math.round(reportedMs)} ms`)
    return {
      reportedMs,
      servedMs,
      restoredMs,
      longestCallMs: Math.max(...calls.map(({ tookMs }) => tookMs)),
      refusals: refusalsIn(calls),
    }
  }

  /** Ends the jobs, and throws if something acknowledged is lost, runs twice or not at all, or is left over. */
  async check(): Promise<void> {
    await this.stop()
    await checkAll(this.#checks())
  }

  /** Throws if a job has seen something wrong. */
  async stop(): Promise<void> {
    // Those after one that has seen something wrong would otherwise go on for ever.
    const stopped = await Promise.allSettled(this.#workloads.map(workload => workload.stop()))
    for (const result of stopped) if (result.status === 'rejected') throw result.reason
  }

  get #workloads(): readonly Workload[] {
    return [...this.#ofSandboxes.values(), this.#ofCluster]
  }

  async #allWork(): Promise<void> {
    await Promise.all(this.#workloads.map(workload => workload.succeededAnew(1)))
  }

  async #isWhole(): Promise<void> {
    const { cluster } = this.#world
    for (const member of cluster.members)
      await waitFor(async () => {
        const statuses = await cluster.statuses(member).catch(() => new Map<string, string>())
        return statuses.size > 0 && statuses.values().every(status => status === 'Online')
      })
  }

  /** Screenshots are not among them: those of a front that was killed are on its own disk. */
  #checks(): readonly Check[] {
    return [
      ...this.#files.map(files => () => files.verify()),
      () => this.#creates.verify(),
      () => this.#hasNothingElse(),
      ...this.#world.fronts.map(front => () => checkLog(front)),
    ]
  }

  async #hasNothingElse(): Promise<void> {
    let found: string[] = []
    await waitFor(async () => {
      found = await differences(this.#world)
      return found.length === 0
    }).catch(() => assert.fail(found.join('\n')))
  }
}
