import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { type Engine, MachineError } from '@sandglass/machines/contract'
import type { LocalEngine } from '@sandglass/machines/local'
import { type Handlers, Responder } from '@sandglass/rpc'
import { machineErrors } from './machine-errors.ts'
import { type HostMethods, hostMethods } from './methods.ts'
import { SocketPasser } from './passed-sockets.ts'
import { snapshotHandlers } from './serve-snapshots.ts'
import { volumeHandlers } from './serve-volumes.ts'
import type { WorkerHostNotices } from './workers/methods.ts'
import { HostedWorkers, type WorkerStarter } from './workers/serve-workers.ts'

/** An engine whose machines another process talks to. */
export type EngineOfHost = Engine & Pick<LocalEngine, 'reach' | 'access' | 'activity' | 'figures'>

/** An engine that is open in the host. */
export interface OpenedOnHost {
  readonly engine: EngineOfHost
  /** Settles when background preparation, such as building images, has succeeded or failed. */
  readonly prepared: Promise<void>
  close(): Promise<void>
}

/** The engine that the host opens when the front, which has the data directory to itself by then, asks for it. */
export interface HostedEngine extends WorkerStarter {
  configure(): Promise<() => Promise<OpenedOnHost>>
}

export interface ServedHost {
  /** Aborts what the front had asked for, waits until that has been undone, and closes the engine. Machines keep running. */
  close(): Promise<void>
}

/** Serves the requests of one front, a child of this process, until it ends. */
export function serveHost(front: ChildProcess, stream: Duplex, hosted: HostedEngine): ServedHost {
  const host = new Host(hosted)
  const workers = new HostedWorkers(
    hosted,
    work => host.use(work),
    new SocketPasser(front),
    worker => responder.tell('workerEnded', { worker }),
  )
  const handlers: Handlers<HostMethods> = {
    configure: () => host.configure(),
    open: async () => {
      const { capabilities, snapshots, volumes, stop } = (await host.open()).engine
      return {
        capabilities,
        hasSnapshots: snapshots !== undefined,
        hasVolumes: volumes !== undefined,
        canStop: stop !== undefined,
      }
    },
    prepared: async () => await host.opened.prepared,
    close: () => host.close(),
    create: ({ spec }, { signal }) => host.use(engine => engine.create(spec, { signal })),
    destroy: ({ handle }) => host.use(engine => engine.destroy(handle)),
    restart: ({ handle }, { signal }) => host.use(engine => engine.restart(handle, { signal })),
    stop: ({ handle }) =>
      host.use(async engine => {
        if (!engine.stop) throw new MachineError('INVALID', 'this engine does not stop machines')
        await engine.stop(handle)
      }),
    pause: ({ handle }) => host.use(engine => engine.pause(handle)),
    resume: ({ handle }) => host.use(engine => engine.resume(handle)),
    inspect: ({ handle }) => host.use(engine => engine.inspect(handle)),
    activity: ({ handle }) => host.use(async engine => (await engine.activity(handle)) ?? null),
    figures: ({ handle }) => host.use(engine => engine.figures(handle)),
    list: () => host.use(engine => engine.list()),
    health: () => host.use(engine => engine.health()),
    capacity: ({ diskMiB, image }) => host.use(engine => engine.capacity(diskMiB, image)),
    diskSpace: () =>
      host.use(async engine => {
        if (!engine.diskSpace) throw new MachineError('INVALID', 'this engine does not know its disk space')
        return await engine.diskSpace()
      }),
    imageDigest: ({ image }) =>
      host.use(async engine => {
        if (!engine.imageDigest) throw new MachineError('INVALID', 'this engine knows no digests of images')
        return await engine.imageDigest(image)
      }),
    assign: ({ tenants }) => host.use(async engine => engine.assign?.(new Map(Object.entries(tenants)))),
    ...snapshotHandlers(work => host.use(work)),
    ...volumeHandlers(work => host.use(work)),
    ...workers.handlers,
  }
  const responder = new Responder<HostMethods, WorkerHostNotices>(stream, {
    methods: hostMethods,
    handlers,
    errors: machineErrors,
  })
  return {
    close: async () => {
      responder.close()
      await workers.close()
      await host.close()
    },
  }
}

/** The engine of this host, from the first request of the front to the last. */
class Host {
  readonly #hosted: HostedEngine
  #opener: (() => Promise<OpenedOnHost>) | undefined
  #opened: OpenedOnHost | undefined
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(hosted: HostedEngine) {
    this.#hosted = hosted
  }

  async configure(): Promise<void> {
    this.#opener ??= await this.#hosted.configure()
  }

  async open(): Promise<OpenedOnHost> {
    if (!this.#opener) throw new MachineError('STATE', 'the engine is not configured')
    if (this.#opened) throw new MachineError('STATE', 'the engine is open already')
    this.#opened = await this.#opener()
    return this.#opened
  }

  get opened(): OpenedOnHost {
    if (!this.#opened) throw new MachineError('STATE', 'the engine is not open')
    return this.#opened
  }

  async use<Result>(work: (engine: EngineOfHost) => Promise<Result>): Promise<Result> {
    const result = work(this.opened.engine)
    this.#underWay.add(result)
    try {
      return await result
    } finally {
      this.#underWay.delete(result)
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close()
  }
}
