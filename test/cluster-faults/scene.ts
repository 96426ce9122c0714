import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { TestCluster, TestMember } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import type { Workload } from '../faults/workload.ts'
import type { ClusterWorld } from './cluster-world.ts'
import type { Front } from './front.ts'
import type { KeptSandbox } from './kept-sandbox.ts'

/** What a fault happens to: a member and a front that the seed has chosen, and the jobs that run meanwhile. */
export class Scene {
  readonly member: TestMember
  readonly front: Front
  readonly #world: ClusterWorld
  /** The jobs of each sandbox. */
  readonly #workloads: ReadonlyMap<KeptSandbox, Workload>
  /** The member of each kept sandbox before the fault. */
  readonly #places: ReadonlyMap<string, string>
  /** How long it took until the loss of the member was reported, in time of the box; undefined if it was not. */
  reportedMs: number | undefined
  /** How long a front took until it served again; undefined if none was killed. */
  servedMs: number | undefined

  constructor(
    world: ClusterWorld,
    workloads: ReadonlyMap<KeptSandbox, Workload>,
    places: ReadonlyMap<string, string>,
  ) {
    this.#world = world
    this.#workloads = workloads
    this.#places = places
    this.member = this.choose(world.cluster.members)
    this.front = this.choose(world.fronts)
  }

  get cluster(): TestCluster {
    return this.#world.cluster
  }

  choose<T>(list: readonly T[]): T {
    return list[Math.floor(this.#world.random() * list.length)] ?? assert.fail('there is nothing to choose')
  }

  /** Call this when a member is gone. Settles when its sandboxes are in ERROR and say why. */
  async isReportedLost(member = this.member): Promise<void> {
    const { time } = this.#world
    const goneAtMs = time.nowMs
    const sentence = new RegExp(`member ${member.name} of the cluster is gone`)
    for (const sandbox of this.#sandboxes(place => place === member.name))
      await waitFor(async () => {
        const { status, reason = '' } = await sandbox.reported()
        return status === 'ERROR' && sentence.test(reason)
      })
    this.reportedMs = time.nowMs - goneAtMs
  }

  /** Settles when every job has succeeded on the sandboxes of the other members. */
  readonly othersWork = async (away = this.member): Promise<void> => {
    await this.#work(this.#sandboxes(place => place !== away.name))
  }

  /** Starts the front that was killed. */
  async startFront(): Promise<void> {
    const sinceMs = performance.now()
    await this.front.startAgain()
    this.servedMs = performance.now() - sinceMs
  }

  /** Settles when every job has succeeded on every sandbox. */
  readonly allWork = async (): Promise<void> => {
    await this.#work(this.#sandboxes(() => true))
  }

  #sandboxes(isMeant: (place: string | undefined) => boolean): KeptSandbox[] {
    return this.#world.sandboxes.filter(({ sandboxId }) => isMeant(this.#places.get(sandboxId)))
  }

  async #work(sandboxes: readonly KeptSandbox[]): Promise<void> {
    await Promise.all(sandboxes.map(sandbox => this.#workloads.get(sandbox)?.succeededAnew(1)))
  }
}
