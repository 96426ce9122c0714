import { canWatch } from '../activities/viewer.ts'
import type { Job } from './job.ts'
import type { JobWorld } from './job-world.ts'

/** A viewer who sees nothing for so long tries again. */
const patienceOfViewerMs = 20_000

/** Viewers who come, wait for the screen, and go. */
export class Viewers implements Job {
  readonly name = 'viewers'
  readonly #world: JobWorld

  constructor(world: JobWorld) {
    this.#world = world
  }

  step(): Promise<boolean> {
    return canWatch(this.#world, patienceOfViewerMs).catch(() => false)
  }

  async verify(): Promise<void> {}
}
