import { availableParallelism } from 'node:os'
import { type Engine, MachineError, type MachineHandle } from '@sandglass/machines/contract'
import type {
  EncodedPicture,
  PictureFormat,
  RawChoice,
  RawPicture,
  RunningMachine,
  Workers,
} from '../contract/index.ts'
import type { WorkerHost } from '../contract/worker-host.ts'
import { OldRawFiles } from './old-raw-files.ts'
import { OpenedMachine } from './opened-machine.ts'
import { RemoteMachine } from './remote-machine.ts'
import { watchForStall } from './stall.ts'
import { WorkerLink } from './worker-link.ts'

export interface WorkerPoolOptions {
  readonly host: WorkerHost
  /** The most workers at a time. When there are as many, tenants share them. */
  readonly maxWorkers?: number
  /** Called when a worker ended although it was needed. */
  readonly onLoss?: (pid: number) => void
  /** Called when a worker could not be started. It is tried again. */
  readonly onFailure?: (error: unknown) => void
}

/** A worker without machines is kept this long, because the tenant may create another one. */
const idleMs = 60_000

/** How long after a failure another worker is started in advance. */
const retryMs = 1000

/** Warm machines of shapes belong to nobody yet. No tenant has been inside, so they can be together. */
const nobody = ''

/**
 * The workers of this process. Each tenant has one of its own as long as there are enough, so that what a machine does to
 * its worker affects its own tenant only. A worker that ends is replaced, and its machines are opened again.
 */
export class WorkerPool implements Workers {
  readonly #options: WorkerPoolOptions
  readonly #maxWorkers: number
  readonly #workers = new Set<WorkerLink>()
  readonly #ofTenant = new Map<string, Promise<WorkerLink>>()
  readonly #ofFile = new Map<string, WorkerLink>()
  readonly #oldFiles: OldRawFiles
  /** Started in advance, because a start takes longer than most calls. */
  #spare: Promise<WorkerLink> | undefined
  #isClosed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#oldFiles = new OldRawFiles(options.host)
    this.#maxWorkers = options.maxWorkers ?? Math.max(4, 2 * availableParallelism())
  }

  async open(engine: Engine, handle: MachineHandle, tenant = nobody): Promise<RunningMachine> {
    return RemoteMachine.open(handle, tenant, {
      open: async owner => {
        const worker = await this.#workerOf(owner)
        return OpenedMachine.open(worker, handle, owner, await engine.reachFromWorker?.(handle))
      },
      inspect: () => engine.inspect(handle),
    })
  }

  async transcode(
    body: Uint8Array<ArrayBuffer>,
    to: PictureFormat,
    tenant = nobody,
  ): Promise<Omit<EncodedPicture, 'hash'>> {
    const { caller } = await this.#workerOf(tenant)
    const { value, bytes } = await caller.start('picture.transcode', { to, tenant }, { bytes: body }).answer
    return { ...value, body: new Uint8Array(bytes) }
  }

  async develop(picture: RawPicture, choice: RawChoice): Promise<EncodedPicture> {
    const { file, frame } = picture
    const developIn = async ({ caller }: WorkerLink) => {
      const { value, bytes } = await caller.start('raw.develop', { frame, ...choice }).answer
      // A copy, because the bytes may be a part of a larger buffer, which the picture would keep alive.
      return { ...value, body: new Uint8Array(bytes) }
    }
    const writer = this.#ofFile.get(file)
    if (!writer) return this.#oldFiles.use(file, developIn)
    try {
      return await developIn(writer)
    } catch (error) {
      if (!writer.caller.isClosed) throw error
      return this.#oldFiles.use(file, developIn)
    }
  }

  prioritize(picture: RawPicture, id: string): void {
    this.#ofFile
      .get(picture.file)
      ?.caller.call('raw.prioritize', { id })
      .catch(() => {})
  }

  async release(picture: RawPicture): Promise<number | undefined> {
    // A worker that has ended needs no space in its file.
    return this.#ofFile.get(picture.file)?.caller.call('raw.release', { frame: picture.frame })
  }

  async keepFiles(files: readonly string[]): Promise<void> {
    this.#oldFiles.endExcept(files)
    await this.#options.host.keepFiles(files)
  }

  warm(): void {
    this.#refillSpare()
  }

  prepare(tenant = nobody): void {
    // If it cannot be started, that is tried again when the machine is opened.
    this.#workerOf(tenant).catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const worker of [...this.#workers]) worker.kill()
    this.#oldFiles.close()
    const spare = await this.#spare?.catch(() => undefined)
    spare?.kill()
  }

  /** The process ids of the workers, for those who want to look at them. */
  get pids(): number[] {
    return [...this.#workers].map(({ worker }) => worker.pid)
  }

  #workerOf(tenant: string): Promise<WorkerLink> {
    const known = this.#ofTenant.get(tenant)
    if (known) return known.then(used)
    const assigned = this.#assign(tenant)
    this.#ofTenant.set(tenant, assigned)
    assigned.then(
      worker => void worker.ended.then(() => this.#ofTenant.delete(tenant)),
      () => this.#ofTenant.delete(tenant),
    )
    return assigned.then(used)
  }

  async #assign(tenant: string): Promise<WorkerLink> {
    if (this.#isClosed) throw new MachineError('STATE', 'the workers were closed')
    const worker =
      this.#workers.size < this.#maxWorkers
        ? await this.#takeSpare()
        : (this.#leastUsed() ?? (await this.#start()))
    worker.tenants.add(tenant)
    return worker
  }

  async #takeSpare(): Promise<WorkerLink> {
    const spare = this.#spare
    this.#spare = undefined
    const taken = await spare?.catch(() => undefined)
    const worker = taken && !taken.caller.isClosed ? taken : await this.#start()
    this.#adopt(worker)
    this.#refillSpare()
    return worker
  }

  #refillSpare(): void {
    if (this.#spare || this.#isClosed || this.#workers.size >= this.#maxWorkers) return
    const spare = this.#start()
    this.#spare = spare
    const replace = (error: unknown) => {
      this.#options.onFailure?.(error)
      if (this.#spare === spare) this.#spare = undefined
      setTimeout(() => this.#refillSpare(), retryMs).unref()
    }
    spare.then(async ({ ended }) => {
      await ended
      if (this.#spare === spare && !this.#isClosed) replace(new Error('a worker ended before it was needed'))
    }, replace)
  }

  async #start(): Promise<WorkerLink> {
    return new WorkerLink(await this.#options.host.start())
  }

  #adopt(worker: WorkerLink): void {
    this.#workers.add(worker)
    const { file } = worker.worker
    if (file !== undefined) this.#ofFile.set(file, worker)
    const stopWatching = watchForStall(worker)
    const idle = setInterval(() => this.#endIfIdle(worker), idleMs).unref()
    void worker.ended.then(() => {
      stopWatching()
      clearInterval(idle)
      this.#workers.delete(worker)
      if (file !== undefined) this.#ofFile.delete(file)
      if (worker.machines > 0 && !this.#isClosed) this.#options.onLoss?.(worker.worker.pid)
    })
  }

  #leastUsed(): WorkerLink | undefined {
    return [...this.#workers].sort((a, b) => a.tenants.size - b.tenants.size)[0]
  }

  /** A machine that is just being opened is not counted yet, but its tenant has asked for the worker a moment ago. */
  #endIfIdle(worker: WorkerLink): void {
    if (worker.machines === 0 && performance.now() - worker.usedAtMs > idleMs) worker.kill()
  }
}

function used(worker: WorkerLink): WorkerLink {
  worker.usedAtMs = performance.now()
  return worker
}
