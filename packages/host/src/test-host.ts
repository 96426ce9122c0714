import { type ChildProcess, spawn } from 'node:child_process'
import { duplexPair } from 'node:stream'
import { MachineError, type MachineHandle, type MachineSpec } from '@sandglass/machines/contract'
import { HostConnection } from './host-connection.ts'
import type { EngineOfHost, HostedEngine } from './opened-engines.ts'
import { serveHost } from './serve-host.ts'
import type { WorkerStarter } from './workers/serve-workers.ts'

export const testSpec: MachineSpec = {
  id: 'one',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  pids: 256,
  diskMiB: 512,
}
export const handleOf = (engine: string, id = 'one'): MachineHandle => ({ engine, version: 1, state: { id } })

const noFront = spawn('true')

export function failing(): never {
  throw new MachineError('NOT_FOUND', 'there is no machine')
}

const noWorkers: WorkerStarter = { startWorker: failing, keepFiles: failing }

/** An engine of which tests replace what they use. */
export function engineWith(replaced: Partial<EngineOfHost> = {}): EngineOfHost {
  const { name = 'local' } = replaced
  const handle = handleOf(name)
  return {
    name,
    scope: 'node',
    capabilities: { pause: true, egress: true, egressNames: true, halfClose: true, saveMemory: false },
    create: async () => handle,
    health: async () => ({ ready: true, unavailable: { desktop: 'It is being built.' } }),
    capacity: async () => ({ fits: 3 }),
    diskSpace: async () => ({ freeBytes: 2, totalBytes: 5 }),
    open: failing,
    inspect: async () => ({ status: 'running' }),
    restart: async () => {},
    pause: async () => {},
    resume: async () => {},
    destroy: async () => {},
    list: async () => [{ id: 'one', handle, owner: undefined, image: 'minimal' }],
    close: async () => {},
    reach: failing,
    access: failing,
    activity: async () => undefined,
    figures: async () => ({}),
    ...replaced,
  }
}

/** An engine that the host can open at once. */
export function hostedEngine(engine: EngineOfHost): HostedEngine {
  const opened = { engine, prepared: Promise.resolve(), close: () => engine.close() }
  return { configure: async () => async () => opened }
}

export interface TestHost {
  readonly starter?: WorkerStarter
  readonly front?: ChildProcess
}

/** Serves engines by their names. */
export function serveEngines(
  engines: Readonly<Record<string, HostedEngine>>,
  { starter = noWorkers, front: child = noFront }: TestHost = {},
) {
  const [front, back] = duplexPair()
  const served = serveHost(child, back, {
    ...starter,
    engines: new Map(Object.entries(engines)),
    backsUpKept: false,
  })
  return { front, back, served }
}

/** Serves one engine, which the front has opened. */
export async function openedOn(engine: EngineOfHost) {
  const { front, served } = serveEngines({ [engine.name]: hostedEngine(engine) })
  const host = new HostConnection(front)
  await host.configure(engine.name)
  const { engine: opened } = await host.open(engine.name)
  return { host, served, engine: opened }
}
