import { waitFor } from '@sandglass/machines/testing'
import { Actions } from './jobs/actions.ts'
import { Files } from './jobs/files.ts'
import type { Job } from './jobs/job.ts'
import { MappedPort } from './jobs/mapped-port.ts'
import { Programs } from './jobs/programs.ts'
import { Projects } from './jobs/projects.ts'
import type { Scene } from './scenes/film.ts'
import type { Target } from './targets.ts'
import type { World } from './world.ts'

/** Finds out when everything works again. What it does for that is remembered and verified as the workload is. */
export class Restoration {
  readonly jobs: readonly Job[]
  readonly #world: World

  constructor(world: World, random: () => number) {
    this.#world = world
    this.jobs = [
      new Files(world, 'probes', random),
      new Actions(world, random),
      new Programs(world, 'probes.txt'),
      new Projects(world, 'probe'),
      new MappedPort(world),
    ]
  }

  /** Settles when the process is back and every use of the service succeeds. */
  async complete(target: Target, scene: Scene | undefined, lost: readonly number[]): Promise<void> {
    if (!target.isOnDemand && !target.areThreads)
      await waitFor(async () => {
        const found = await target.find(this.#world)
        return found.length > 0 && !found.some(pid => lost.includes(pid))
      })
    await Promise.all([
      ...this.jobs.map(job => waitFor(() => job.step())),
      ...(scene ? [waitFor(() => scene.isAlive())] : []),
    ])
  }
}
