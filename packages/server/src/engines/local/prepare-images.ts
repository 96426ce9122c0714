import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BaseImageBuild } from '@sandglass/machines/contract'
import { buildImage, imageFolder } from '@sandglass/machines/images'
import type { LocalEngine } from '@sandglass/machines/local'
import type { Catalogue } from '../../modules/shapes/catalogue.ts'
import type { Tell } from '../engine-definition.ts'

/** How often a build reports its progress. */
const progressEveryMs = 10_000

/** The images that the shapes of the local engine use. */
export function localImages(shapes: Catalogue): string[] {
  return [...new Set(localShapes(shapes).map(({ image }) => image))]
}

/** The disk size of the first shape of the local engine. Doctor uses it to estimate how many desktops fit on the host. */
export function localDiskMiB(shapes: Catalogue): number | undefined {
  return localShapes(shapes)[0]?.diskMiB
}

/** The runtimes that the shapes of the local engine name. */
export function localRuntimes(shapes: Catalogue): string[] {
  return [...new Set(localShapes(shapes).flatMap(({ runtime }) => runtime ?? []))]
}

const localShapes = (shapes: Catalogue) => shapes.all().filter(({ engine }) => engine === 'local')

/** What is known about images, by image. Shared with the engine, which reports it in its health. */
export interface ImageStates {
  /** Why an image cannot be used yet. */
  readonly unavailableImages: Map<string, string>
  /** The images that were missing at the start. */
  readonly imageBuilds: Map<string, BaseImageBuild>
}

/** Builds missing images in the background, one at a time. */
export class ImagePreparation {
  /** Settles when every image is ready or its build has failed. */
  readonly done: Promise<void>
  readonly #engine: LocalEngine
  readonly #shapes: Catalogue
  readonly #states: ImageStates
  readonly #tell: Tell
  readonly #abort = new AbortController()

  private constructor(engine: LocalEngine, shapes: Catalogue, states: ImageStates, tell: Tell) {
    this.#engine = engine
    this.#shapes = shapes
    this.#states = states
    this.#tell = tell
    this.done = this.#prepareAll()
  }

  static async start(
    engine: LocalEngine,
    shapes: Catalogue,
    states: ImageStates,
    tell: Tell,
  ): Promise<ImagePreparation> {
    for (const image of localImages(shapes))
      if (!existsSync(join(engine.settings.imagesDir, await imageFolder(image)))) {
        states.unavailableImages.set(
          image,
          `The image ${image} is about to be built. This takes a few minutes and happens once.`,
        )
        states.imageBuilds.set(image, { image, state: 'waiting' })
      }
    return new ImagePreparation(engine, shapes, states, tell)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.done
  }

  async #prepareAll(): Promise<void> {
    for (const image of localImages(this.#shapes)) {
      const diskMiB = this.#shapes.all().find(shape => shape.image === image)?.diskMiB
      try {
        await this.#build(image)
        this.#states.unavailableImages.delete(image)
        this.#note(image, { state: 'ready', endedAt: new Date().toISOString() })
        await this.#engine.prepare(image, diskMiB)
        this.#tell(`Machines of the image ${image} are ready.`)
      } catch (error) {
        if (this.#abort.signal.aborted) return
        const problem = error instanceof Error ? error.message : String(error)
        const reason = `The image ${image} could not be built: ${problem.split('\n', 1)}`
        this.#states.unavailableImages.set(image, reason)
        this.#note(image, { state: 'failed', endedAt: new Date().toISOString(), reason })
        this.#tell(`The image ${image} could not be built: ${problem}`)
      }
    }
    await this.#removeUnused()
  }

  /** What cannot be removed now is left for the next start. */
  async #removeUnused(): Promise<void> {
    try {
      for (const name of await this.#engine.removeUnusedImages())
        this.#tell(`The unused image ${name} was removed.`)
    } catch (error) {
      this.#tell(`Unused images were not removed: ${error instanceof Error ? error.message : error}`)
    }
  }

  async #build(image: string): Promise<void> {
    const started = Date.now()
    let last = ''
    this.#note(image, { state: 'building', startedAt: new Date(started).toISOString() })
    const progress = setInterval(() => {
      const seconds = Math.round((Date.now() - started) / 1000)
      this.#states.unavailableImages.set(
        image,
        `The image ${image} has been building for ${seconds} s. This takes a few minutes and happens once.`,
      )
      this.#tell(`Building the image ${image}, ${seconds} s: ${last.slice(0, 100)}`)
    }, progressEveryMs)
    try {
      await buildImage(image, {
        imagesDir: this.#engine.settings.imagesDir,
        signal: this.#abort.signal,
        onProgress: line => {
          last = line
          this.#note(image, { activity: line.slice(0, 200) })
        },
      })
    } finally {
      clearInterval(progress)
    }
  }

  /** An image that was there already is not built, so there is nothing to note. */
  #note(image: string, change: Partial<BaseImageBuild>): void {
    const before = this.#states.imageBuilds.get(image)
    if (before) this.#states.imageBuilds.set(image, { ...before, ...change })
  }
}
