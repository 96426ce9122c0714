import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { MachineError } from '@sandglass/machines/contract'
import { ApiError, type BuildEvent, type Image } from '@sandglass/protocol'
import type { Tx } from '../../../db/database.ts'
import { transact } from '../../../db/transact.ts'
import type { WorkMachine, WorkMachines } from '../../../machines/work-machines.ts'
import { failImage, finishImage, lockImage } from '../../../records/made-images.ts'
import { lockReadyDisk, type SavedDiskRow } from '../../../records/saved-disks.ts'
import { lockPlanOfOrganization } from '../../plans/store.ts'
import type { SandboxParts } from '../../sandboxes/parts.ts'
import type { CatalogueShape } from '../../shapes/catalogue.ts'
import { saveWork } from '../save-work.ts'
import type { BuildLog } from './build-log.ts'
import { chainOf, type KnownStep } from './chain.ts'
import { activityOf, noteBuildProgress } from './progress.ts'
import { runStep } from './run-step.ts'
import { StepFailure } from './step-failure.ts'
import type { StepFiles } from './step-files.ts'
import { type CacheKey, type CacheLimits, keepStep, selectSteps, touchSteps, trimSteps } from './store.ts'
import type { BuildUploads } from './uploads.ts'
import type { WorkStep } from './work-step.ts'

/** The end of what a step printed, which is repeated in the event of its failure. */
const tailCharacters = 4096

/** What is to be built. */
export interface BuildOrder {
  readonly orgId: string
  /** The row of the new image. */
  readonly image: Image
  readonly shape: CatalogueShape
  /** Identifies what the build starts from: the content of a base image, or the saved disk of an image. */
  readonly base: string
  /** The saved disk that the build starts from, if it starts from an image. */
  readonly baseDiskId?: string | undefined
  /** The environment of the image that the build starts from. */
  readonly env: Readonly<Record<string, string>>
  readonly steps: readonly WorkStep[]
  /** The steps that are done again although an earlier build has their result. */
  readonly forced: ReadonlySet<number>
  readonly limits: CacheLimits
  /** Checks whether the organization may have one more machine. */
  readonly admit: (tx: Tx) => Promise<void>
  /** Called when the capacity that was reserved for the machine is not needed any more. */
  readonly onCounted: () => void
}

export interface BuildParts extends Pick<SandboxParts, 'db' | 'keeper' | 'disks'> {
  readonly machines: WorkMachines
  readonly files: StepFiles
  readonly uploads: BuildUploads
  readonly log: BuildLog
  readonly signal: AbortSignal
}

/** How far earlier builds got with the same steps. */
interface Found {
  /** The number of steps whose result is known. */
  readonly done: number
  readonly diskId: string | undefined
}

/**
 * One build of an image. Steps whose result an earlier build has left are skipped. The machine starts from the last of these, runs
 * the others, and its disk is saved after each. The last saved disk is that of the image.
 */
export class ImageBuild {
  readonly #order: BuildOrder
  readonly #parts: BuildParts
  readonly #cache: CacheKey
  #keys: readonly string[] = []
  /** The step that is being carried out, and the end of what it printed. */
  #at: number | undefined
  #tail = ''

  constructor(order: BuildOrder, parts: BuildParts) {
    this.#order = order
    this.#parts = parts
    this.#cache = { orgId: order.orgId, nodeId: parts.keeper.nodeId }
  }

  /** Settles when the image is READY (true) or in ERROR (false). Rejects only if that could not be recorded. */
  async run(): Promise<boolean> {
    const { log } = this.#parts
    const { image } = this.#order
    log.add({ event: 'started', image })
    try {
      const sizeMiB = await this.#build()
      log.add({
        event: 'finished',
        image: { ...image, status: 'READY', ...(sizeMiB !== undefined && { sizeMiB }) },
      })
      return true
    } catch (error) {
      const failure = this.#failureOf(error)
      const reason = reasonOf(failure)
      // If that cannot be recorded now, a sweep records that the build has ended.
      const recording = transact(this.#parts.db, tx => failImage(tx, image.id, reason))
      await Promise.allSettled([recording])
      log.add({ event: 'failed', ...failure, image: { ...image, status: 'ERROR', reason } })
      await recording
      return false
    }
  }

  /** Returns the size of the image's disk. */
  async #build(): Promise<number | undefined> {
    const { keeper, files, signal } = this.#parts
    const { base, baseDiskId, steps, forced } = this.#order
    const known: KnownStep[] = []
    for (const [at, step] of steps.entries()) {
      if ('file' in step) this.#at = at
      const content = await files.know(step, at, signal)
      known.push(forced.has(at) ? { once: randomUUID() } : content)
    }
    this.#at = undefined
    this.#keys = chainOf(base, known, text => keeper.environment.fingerprint(text))
    const found = await this.#find()
    for (let at = 0; at < found.done; at++) this.#begin(at, true)
    this.#at = undefined
    if (found.diskId === undefined || found.done < steps.length) return await this.#runFrom(found)
    const reused = await this.#reuse(found.diskId)
    // A disk that was removed in this moment is not there any more, and everything is done again.
    return reused ? reused.sizeMiB : await this.#runFrom({ done: 0, diskId: baseDiskId })
  }

  /** Finds the last step whose result is kept. Steps that only set variables leave no result of their own. */
  async #find(): Promise<Found> {
    const { steps, baseDiskId } = this.#order
    const kept = await selectSteps(this.#parts.db, this.#cache, this.#keys)
    const isDone = (at: number) => kept.has(this.#keys[at] ?? '')
    let last = steps.findLastIndex((_, at) => isDone(at))
    const diskId = last < 0 ? baseDiskId : kept.get(this.#keys[last] ?? '')
    while (last + 1 < steps.length && isVariables(steps[last + 1])) last++
    await transact(this.#parts.db, tx => touchSteps(tx, this.#cache, this.#keys))
    return { done: last + 1, diskId }
  }

  /** Gives the image a disk that is kept already. Returns undefined if it is gone. */
  async #reuse(diskId: string): Promise<{ readonly sizeMiB: number | undefined } | undefined> {
    return await transact(this.#parts.db, async tx => {
      await lockImage(tx, this.#order.image.id)
      const disk = await lockReadyDisk(tx, diskId)
      if (!disk) return undefined
      await this.#finish(tx, diskId)
      return { sizeMiB: disk.size_mib ?? undefined }
    })
  }

  /** Its machine does not count any more when this settles. */
  async #runFrom({ done, diskId }: Found): Promise<number> {
    const { orgId, shape, steps, admit, onCounted } = this.#order
    const { machines, signal } = this.#parts
    await using work = await machines.start({
      orgId,
      shape,
      egress: 'internet',
      admit: async tx => {
        await admit(tx)
        return diskId === undefined ? undefined : await requireDisk(tx, diskId)
      },
      onCounted,
      signal,
    })
    const isLast = (at: number) => steps.slice(at + 1).every(isVariables)
    for (let at = done; at < steps.length; at++) {
      this.#begin(at, false)
      await this.#step(work, at)
      if (isVariables(steps[at])) continue
      const sizeMiB = await this.#save(work, this.#keys[at], isLast(at))
      this.#at = undefined
      if (!isLast(at)) continue
      for (let rest = at + 1; rest < steps.length; rest++) this.#begin(rest, false)
      return sizeMiB
    }
    // There were only variables to set.
    return await this.#save(work, this.#keys.at(-1), true)
  }

  #begin(at: number, cached: boolean): void {
    this.#at = at
    this.#tail = ''
    this.#parts.log.add({ event: 'step', step: at, cached })
    // The steps that are skipped are over before anybody could read it.
    if (!cached) this.#noteProgress(at)
  }

  /** For operators. A build does not wait for it, or fail because of it. */
  #noteProgress(at: number): void {
    const { db } = this.#parts
    const step = this.#order.steps[at]
    if (step) noteBuildProgress(db, this.#order.image.id, at, activityOf(step)).catch(() => {})
  }

  async #step({ machine }: WorkMachine, at: number): Promise<void> {
    const { keeper, files, uploads, log, signal } = this.#parts
    const step = this.#order.steps[at]
    if (!step) return
    await runStep(step, {
      machine,
      at,
      files,
      readArchive: hash => Readable.from(uploads.read({ orgId: this.#order.orgId, hash })),
      packages: keeper.engines.packages,
      env: this.#environmentBefore(at),
      print: (stream, text) => {
        if (stream !== 'progress') this.#tail = (this.#tail + text).slice(-tailCharacters)
        log.print(at, stream, text)
      },
      signal,
    })
  }

  /** The variables that are set for a step, or for the image if it is after the last step. */
  #environmentBefore(at: number): Readonly<Record<string, string>> {
    const { env, steps } = this.#order
    return Object.assign({}, env, ...steps.slice(0, at).map(step => ('env' in step ? step.env : {})))
  }

  /** Saves the disk as the result of a step and, after the last, as that of the image. Returns its size. */
  async #save(work: WorkMachine, key: string | undefined, isLast: boolean): Promise<number> {
    const { orgId, image, limits } = this.#order
    const { sizeMiB } = await saveWork(this.#parts, work, {
      lock: async tx => {
        // One build of an organization at a time changes what is kept.
        await lockPlanOfOrganization(tx, orgId)
        if (isLast) await lockImage(tx, image.id)
      },
      record: async (tx, diskId) => {
        if (key !== undefined) await keepStep(tx, this.#cache, key, diskId)
        if (isLast) await this.#finish(tx, diskId)
        await trimSteps(tx, this.#cache, limits)
      },
    })
    return sizeMiB
  }

  async #finish(tx: Tx, diskId: string): Promise<void> {
    const { image, steps } = this.#order
    const env = this.#environmentBefore(steps.length)
    const sealed = this.#parts.keeper.environment.sealVariables(image.id, env)
    if (!(await finishImage(tx, image.id, diskId, sealed)))
      throw new StepFailure('The image was deleted, or its node was lost, while it was being built.')
  }

  #failureOf(error: unknown): Omit<Extract<BuildEvent, { event: 'failed' }>, 'event' | 'image'> {
    const { signal } = this.#parts
    const cause = signal.aborted ? signal.reason : error
    return {
      reason: isForCaller(cause) ? cause.message : 'The build failed.',
      ...(this.#at !== undefined && { step: this.#at }),
      ...(cause instanceof StepFailure && cause.exitCode !== undefined && { exitCode: cause.exitCode }),
      ...(this.#tail !== '' && { output: this.#tail }),
    }
  }
}

const isVariables = (step: WorkStep | undefined): boolean => step !== undefined && 'env' in step

function isForCaller(cause: unknown): cause is Error {
  return cause instanceof StepFailure || cause instanceof ApiError || cause instanceof MachineError
}

function reasonOf({ step, reason }: { readonly step?: number | undefined; readonly reason: string }): string {
  return step === undefined ? reason : `Step ${step} failed. ${reason}`
}

async function requireDisk(tx: Tx, id: string): Promise<Pick<SavedDiskRow, 'id' | 'handle'>> {
  const disk = await lockReadyDisk(tx, id)
  if (!disk) throw new StepFailure('What the build starts from was removed meanwhile. Build it again.')
  return disk
}
