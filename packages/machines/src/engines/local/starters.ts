import { KeyedMutex } from '@sandglass/supervision'
import { installGuestFiles } from './guest/guest-files.ts'
import { raiseKernelCapacity } from './host/kernel-capacity.ts'
import { readyRouter } from './network/ready-router.ts'
import { loadApparmorProfile } from './oci/apparmor.ts'
import type { CgroupLayout } from './oci/cgroups.ts'
import type { ProcessorSets } from './oci/processor-sets.ts'
import type { Runtimes } from './oci/runtimes.ts'
import type { Settings } from './options.ts'
import { chooseLower } from './rootfs/lower.ts'
import type { PreparedRoots } from './rootfs/prepared-roots.ts'
import { createRunDirs } from './rootfs/run-dirs.ts'
import { noteImageUse } from './rootfs/unused-images.ts'
import type { Starter } from './starter.ts'
import { thawDisks } from './storage/save-disk.ts'
import { unmountUnusedVolumes } from './volumes/volume-mounts.ts'

const noteUseEveryMs = 60 * 60_000

export interface StarterParts {
  readonly settings: Settings
  readonly runtimes: Runtimes
  readonly layout: CgroupLayout
  readonly processors: ProcessorSets
  readonly prepared: PreparedRoots
}

/** What the machines of an image stand on, and what all machines share, made by the first machine that needs it. */
export class Starters {
  readonly #parts: StarterParts
  readonly #mutex = new KeyedMutex()
  readonly #starters = new Map<string, Promise<Starter>>()
  #usedAt = 0

  constructor(parts: StarterParts) {
    this.#parts = parts
  }

  /** What all machines of an image stand on: made by the first that needs it, tried again after a failure. */
  of(image: string): Promise<Starter> {
    let starter = this.#starters.get(image)
    if (!starter) {
      starter = this.#makeReady(image)
      this.#starters.set(image, starter)
      starter.catch(() => this.#starters.delete(image))
    }
    return starter
  }

  async #makeReady(image: string): Promise<Starter> {
    const { settings, runtimes, layout, processors, prepared } = this.#parts
    await createRunDirs(settings)
    await raiseKernelCapacity(settings)
    await prepared.sweep()
    await thawDisks(settings)
    await unmountUnusedVolumes(settings)
    await noteImageUse(settings, image)
    const router = this.#mutex.run('the router', () => readyRouter(settings))
    const [guestDir, lower, apparmor] = await Promise.all([
      installGuestFiles(settings, image),
      chooseLower(settings, image),
      loadApparmorProfile(),
      router,
    ])
    return { settings, runtimes, layout, processors, guestDir, lower, apparmor }
  }

  /** Other engines may share the directory of the images, and must see that the images of this one are in use. */
  noteUse(): void {
    if (Date.now() - this.#usedAt < noteUseEveryMs) return
    this.#usedAt = Date.now()
    for (const image of this.#starters.keys()) void noteImageUse(this.#parts.settings, image).catch(() => {})
  }

  clear(): void {
    this.#starters.clear()
  }
}
