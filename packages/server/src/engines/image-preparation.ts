import type { BaseImageBuild } from '@sandglass/machines/contract'
import type { Tell } from './engine-definition.ts'

/** How often a build reports its progress. */
const progressEveryMs = 10_000

/** What is known about images, by image. Shared with the engine, which reports it in its health. */
export interface ImageStates {
  /** Why an image cannot be used yet. */
  readonly unavailableImages: Map<string, string>
  /** The images that were missing at the start. */
  readonly imageBuilds: Map<string, BaseImageBuild>
}

/** What is prepared, and how. */
export interface PreparedImages {
  /** In the order in which they are built. */
  readonly images: readonly string[]
  /** Names what is built of an image in sentences. */
  nameOf(image: string): string
  /** The name that lists of builds show, if another engine builds something else of the same image. */
  labelOf?(image: string): string
  isBuilt(image: string): Promise<boolean>
  build(
    image: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
  ): Promise<void>
  /** Makes ahead what the first machine of an image would wait for. */
  makeReady?(image: string): Promise<void>
  /** Returns the names of what was removed. */
  removeUnused?(): Promise<readonly string[]>
}

/** Builds missing images in the background, one at a time. */
export class ImagePreparation {
  /** Settles when every image is ready or its build has failed. */
  readonly done: Promise<void>
  readonly #work: PreparedImages
  readonly #states: ImageStates
  readonly #tell: Tell
  readonly #abort = new AbortController()

  private constructor(work: PreparedImages, states: ImageStates, tell: Tell) {
    this.#work = work
    this.#states = states
    this.#tell = tell
    this.done = this.#prepareAll()
  }

  static async start(work: PreparedImages, states: ImageStates, tell: Tell): Promise<ImagePreparation> {
    for (const image of work.images)
      if (!(await work.isBuilt(image))) {
        states.unavailableImages.set(
          image,
          `The ${work.nameOf(image)} is about to be built. This takes a few minutes and happens once.`,
        )
        states.imageBuilds.set(image, { image: work.labelOf?.(image) ?? image, state: 'waiting' })
      }
    return new ImagePreparation(work, states, tell)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.done
  }

  async #prepareAll(): Promise<void> {
    for (const image of this.#work.images) {
      const name = this.#work.nameOf(image)
      try {
        await this.#build(image)
        this.#states.unavailableImages.delete(image)
        this.#note(image, { state: 'ready', endedAt: new Date().toISOString() })
        await this.#work.makeReady?.(image)
        this.#tell(`Machines of the ${name} are ready.`)
      } catch (error) {
        if (this.#abort.signal.aborted) return
        const problem = error instanceof Error ? error.message : String(error)
        const reason = `The ${name} could not be built: ${problem.split('\n', 1)}`
        this.#states.unavailableImages.set(image, reason)
        this.#note(image, { state: 'failed', endedAt: new Date().toISOString(), reason })
        this.#tell(`The ${name} could not be built: ${problem}`)
      }
    }
    await this.#removeUnused()
  }

  /** What cannot be removed now is left for the next start. */
  async #removeUnused(): Promise<void> {
    try {
      for (const name of (await this.#work.removeUnused?.()) ?? [])
        this.#tell(`The unused image ${name} was removed.`)
    } catch (error) {
      this.#tell(`Unused images were not removed: ${error instanceof Error ? error.message : error}`)
    }
  }

  async #build(image: string): Promise<void> {
    const started = performance.now()
    const name = this.#work.nameOf(image)
    let last = ''
    this.#note(image, { state: 'building', startedAt: new Date(started).toISOString() })
    const progress = setInterval(() => {
      const seconds = Math.round((performance.now() - started) / 1000)
      this.#states.unavailableImages.set(
        image,
        `The ${name} has been building for ${seconds} s. This takes a few minutes and happens once.`,
      )
      this.#tell(`Building the ${name}, ${seconds} s: ${last.slice(0, 100)}`)
    }, progressEveryMs)
    try {
      await this.#work.build(image, {
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
