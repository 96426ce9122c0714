import assert from 'node:assert/strict'
import type { Job } from '../faults/jobs/job.ts'
import type { ListedSandbox } from '../faults/jobs/sandboxes.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { instancesOfRows, runningIn } from './machines.ts'

/** What is promised. */
export const promisedMs = 30_000

type Reported = ListedSandbox & { readonly problem?: object }

/** Looks on every member that is up, and fails if a machine runs on two of them, or if what is reported of a sandbox stays false. */
export class TrueStates implements Job {
  readonly name = 'true states'
  readonly #world: ClusterWorld
  /** What is reported falsely, and since when. */
  readonly #falseSinceMs = new Map<string, number>()
  #longestMs = 0

  constructor(world: ClusterWorld) {
    this.#world = world
  }

  /** How long something false was reported at most, in time of the box. */
  get longestMs(): number {
    return this.#longestMs
  }

  async step(): Promise<boolean> {
    // A member that is killed meanwhile cannot be looked at.
    const running = await runningIn(this.#world).catch(() => undefined)
    for (const [name, members] of running ?? [])
      assert.equal(members.length, 1, `${name} runs on ${members.join(' and ')}`)
    const reported = running && (await this.#reported())
    if (!running || !reported) return false
    this.#judge(new Set(await this.#falsehoods(running, reported)))
    return true
  }

  async verify(): Promise<void> {}

  async #reported(): Promise<readonly Reported[] | undefined> {
    const { status, body } = await this.#world.ask({
      what: 'listSandboxes',
      method: 'GET',
      path: '~/sandboxes',
    })
    return status === 200 ? body : undefined
  }

  /** Only machines of members that are in the cluster can be used, and only those can be stopped. */
  async #falsehoods(
    running: ReadonlyMap<string, readonly string[]>,
    reported: readonly Reported[],
  ): Promise<string[]> {
    const { cluster, database } = this.#world
    const rows = await database.db.selectFrom('sandboxes').select(['id', 'machine_id']).execute()
    const names = await instancesOfRows(this.#world)
    const machines = new Map(rows.map(row => [row.id, names.get(row.machine_id ?? '')]))
    return reported.flatMap(({ id, name, status, problem }) => {
      const [where] = running.get(machines.get(id) ?? '') ?? []
      const runs = where !== undefined && cluster.isThere(cluster.member(where))
      if (status === 'RUNNING' && problem === undefined && !runs)
        return [`${name} is reported as RUNNING, but nobody can use it`]
      if ((status === 'ERROR' || status === 'STOPPED') && runs)
        return [`${name} is reported as ${status}, but it runs on ${where}`]
      return []
    })
  }

  #judge(found: ReadonlySet<string>): void {
    const { nowMs } = this.#world.time
    for (const sentence of this.#falseSinceMs.keys())
      if (!found.has(sentence)) this.#falseSinceMs.delete(sentence)
    for (const sentence of found) {
      const sinceMs = this.#falseSinceMs.get(sentence) ?? nowMs
      this.#falseSinceMs.set(sentence, sinceMs)
      this.#longestMs = Math.max(this.#longestMs, nowMs - sinceMs)
      assert.ok(nowMs - sinceMs < promisedMs, `${sentence}, for ${Math.round(nowMs - sinceMs)} ms`)
    }
  }
}
