import assert from 'node:assert/strict'
import type { Job } from '../faults/jobs/job.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { runningIn } from './machines.ts'

/** Looks on every member that is up, and fails if a machine runs on two of them. */
export class RunsOnce implements Job {
  readonly name = 'runs once'
  readonly #world: ClusterWorld

  constructor(world: ClusterWorld) {
    this.#world = world
  }

  async step(): Promise<boolean> {
    // A member that is killed meanwhile cannot be looked at.
    const running = await runningIn(this.#world).catch(() => undefined)
    for (const [name, members] of running ?? [])
      assert.equal(members.length, 1, `${name} runs on ${members.join(' and ')}`)
    return running !== undefined
  }

  async verify(): Promise<void> {}
}
