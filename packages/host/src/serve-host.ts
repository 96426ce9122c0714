import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { MachineError, type MachineHandle } from '@sandglass/machines/contract'
import { type Handlers, Responder } from '@sandglass/rpc'
import { machineErrors } from './machine-errors.ts'
import { type HostMethods, hostMethods } from './methods.ts'
import { type HostedEngine, OpenedEngines, type UseEngine } from './opened-engines.ts'
import { SocketPasser } from './passed-sockets.ts'
import { keptHandlers } from './serve-kept.ts'
import { snapshotHandlers } from './serve-snapshots.ts'
import { volumeHandlers } from './serve-volumes.ts'
import type { WorkerHostNotices } from './workers/methods.ts'
import { HostedWorkers, type WorkerStarter } from './workers/serve-workers.ts'

/** What the host opens when the front, which has the data directory to itself by then, asks for it. */
export interface Hosted extends WorkerStarter {
  /** By the names of the engines. */
  readonly engines: ReadonlyMap<string, HostedEngine>
  /** Whether the front makes backups of what engines keep, and may read it. */
  readonly backsUpKept: boolean
}

export interface ServedHost {
  /** Aborts what the front had asked for, waits until that has been undone, and closes the engines. Machines keep running. */
  close(): Promise<void>
}

/** What the settings do not ask for is not possible either. */
const refuseKept: UseEngine = async () => {
  throw new MachineError('INVALID', 'the settings name nothing that engines keep for backups')
}

/** Serves the requests of one front, a child of this process, until it ends. */
export function serveHost(front: ChildProcess, stream: Duplex, hosted: Hosted): ServedHost {
  const engines = new OpenedEngines(hosted.engines)
  const use: UseEngine = (name, work) => engines.use(name, work)
  const passer = new SocketPasser(front)
  const workers = new HostedWorkers(hosted, use, passer, worker => responder.tell('workerEnded', { worker }))
  const tellReachable = (id: string) => (handle: MachineHandle) => responder.tell('reachable', { id, handle })
  const handlers: Handlers<HostMethods> = {
    configure: ({ engine }) => engines.configure(engine),
    open: async ({ engine }) => {
      const { engine: opened, offer } = await engines.open(engine)
      const { capabilities, snapshots, volumes, kept, stop, wake } = opened
      return {
        capabilities,
        hasSnapshots: snapshots !== undefined,
        hasVolumes: volumes !== undefined,
        hasKept: hosted.backsUpKept && kept !== undefined,
        canStop: stop !== undefined,
        canWake: wake !== undefined,
        hasOffer: offer !== undefined,
      }
    },
    prepared: ({ engine }) => engines.prepared(engine),
    offer: ({ engine }) => engines.offer(engine),
    close: ({ engine }) => engines.close(engine),
    create: ({ engine: name, spec }, { signal }) =>
      use(name, engine => engine.create(spec, { signal, onReachable: tellReachable(spec.id) })),
    destroy: ({ handle }) => use(handle.engine, engine => engine.destroy(handle)),
    restart: ({ handle }, { signal }) => use(handle.engine, engine => engine.restart(handle, { signal })),
    stop: ({ handle }) =>
      use(handle.engine, async engine => {
        if (!engine.stop) throw new MachineError('INVALID', 'this engine does not stop machines')
        await engine.stop(handle)
      }),
    wake: ({ handle }, { signal }) =>
      use(handle.engine, async engine => {
        if (!engine.wake) throw new MachineError('INVALID', 'this engine keeps no memory of machines')
        await engine.wake(handle, { signal })
      }),
    pause: ({ handle }) => use(handle.engine, engine => engine.pause(handle)),
    resume: ({ handle }) => use(handle.engine, engine => engine.resume(handle)),
    inspect: ({ handle }) => use(handle.engine, engine => engine.inspect(handle)),
    activity: ({ handle }) => use(handle.engine, async engine => (await engine.activity(handle)) ?? null),
    figures: ({ handle }) => use(handle.engine, engine => engine.figures(handle)),
    list: ({ engine: name }) => use(name, engine => engine.list()),
    health: ({ engine: name }) => use(name, engine => engine.health()),
    capacity: ({ engine: name, diskMiB, image }) => use(name, engine => engine.capacity(diskMiB, image)),
    diskSpace: ({ engine: name }) =>
      use(name, async engine => {
        if (!engine.diskSpace) throw new MachineError('INVALID', 'this engine does not know its disk space')
        return await engine.diskSpace()
      }),
    imageDigest: ({ engine: name, image }) =>
      use(name, async engine => {
        if (!engine.imageDigest) throw new MachineError('INVALID', 'this engine knows no digests of images')
        return await engine.imageDigest(image)
      }),
    assign: ({ engine: name, tenants }) =>
      use(name, async engine => engine.assign?.(new Map(Object.entries(tenants)))),
    ...snapshotHandlers(use, tellReachable),
    ...volumeHandlers(use),
    ...keptHandlers(hosted.backsUpKept ? use : refuseKept, passer),
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
      await engines.closeAll()
    },
  }
}
