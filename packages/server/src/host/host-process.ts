import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { ignoreNonsense, serveHost, sweepWorkerGroups } from '@sandglass/host'
import { RawFolder } from '@sandglass/workers/raw'
import { DataDirectory } from '../data-directory.ts'
import type { NeedsRoot } from '../engines/engine-definition.ts'
import { Catalogue } from '../modules/shapes/catalogue.ts'
import type { Environment } from '../setting-table.ts'
import { filesOfSettings, liveUdpPort, type Settings } from '../settings.ts'
import { findCompiledCode } from './compiled-code.ts'
import { prepareData } from './data-owner.ts'
import type { FrontUser } from './front-record.ts'
import { chooseFrontUser } from './front-user.ts'
import { type Seen, viewOf } from './front-view.ts'
import { frontDescriptors, launchFront } from './launch-front.ts'
import { launchWorker } from './launch-worker.ts'

const checkout = resolve(import.meta.dirname, '../../../..')
const program = resolve(import.meta.dirname, '../front.ts')
const quickImports = resolve(import.meta.dirname, 'quick-imports.ts')

/** How long the host waits after the end of the front until what the front had asked for is undone. */
const closeTimeoutMs = 15_000

/**
 * V8 would enlarge the space for new objects to 32 MiB over time, and give nothing back. The host makes few objects, and does
 * not need that.
 */
const keepNewSpaceSmall = '--semi-space-growth-factor=1'

/**
 * Runs as root: starts the front as an unprivileged user, and does for it what engines require root for. It serves
 * nobody else, and ends with it. Returns the exit code of the front.
 */
export async function runHost(
  settings: Settings,
  hosted: ReadonlyMap<string, NeedsRoot>,
  env: Environment,
): Promise<number> {
  setFlagsFromString(keepNewSpaceSmall)
  ignoreNonsense(console.error)
  const user = await chooseFrontUser(env)
  const data = await DataDirectory.lock(settings.SANDGLASS_DATA)
  await prepareData(data.path, user)
  data.giveLockTo(user)
  const front = await startFront(settings, env, user, data)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => front.kill(signal))
  const link = front.stdio[frontDescriptors.link]
  if (!(link instanceof Duplex)) throw new Error('The front has no connection to the host.')
  await sweepWorkerGroups()
  let workers = 0
  const rawFolder = new RawFolder(join(data.path, 'local', 'frames'), 'worker')
  const memoryMiB = settings.SANDGLASS_WORKER_MEMORY
  const configureOne = async (configure: NeedsRoot['configure']) =>
    await configure({ shapes: await Catalogue.load(settings.SANDGLASS_SHAPES), tell: console.log })
  const host = serveHost(front, link, {
    engines: new Map(
      [...hosted].map(([name, { configure }]) => [name, { configure: () => configureOne(configure) }]),
    ),
    startWorker: (onEnd, oldFile) =>
      launchWorker({ checkout, memoryMiB, number: ++workers, rawFolder, oldFile }, onEnd),
    keepFiles: files => rawFolder.keep(files),
    backsUpKept:
      settings.SANDGLASS_BACKUP_HOURS !== undefined && settings.SANDGLASS_BACKUP_INCLUDE.length > 0,
  })
  const code = await exitOf(front)
  await Promise.race([host.close(), delay(closeTimeoutMs)])
  data.release()
  return code
}

async function startFront(
  settings: Settings,
  env: Environment,
  user: FrontUser,
  { path, descriptor }: DataDirectory,
): Promise<ChildProcess> {
  const files = filesOfSettings(env)
  const wanted: Seen[] = [
    { how: 'read-only', path: checkout },
    { how: 'read-only', path: process.execPath },
    { how: 'writable', path },
    ...backupFolders(settings),
    ...socketFolders(settings).map(folder => ({ how: 'writable', path: folder }) as const),
    ...Object.values(files).map(file => ({ how: 'copy', path: file }) as const),
  ]
  const ports = [settings.SANDGLASS_PORT, settings.SANDGLASS_METRICS_PORT, liveUdpPort(settings)]
  return launchFront({
    user,
    view: await viewOf(wanted, user),
    command: [process.execPath, ...process.execArgv, '--import', quickImports, program],
    env: { ...env, ...files, SANDGLASS_DATA: path },
    compiled: await findCompiledCode(checkout),
    folder: path,
    hasLowPorts: ports.some(port => typeof port === 'number' && port > 0 && port < 1024),
    lock: descriptor,
  })
}

/** The folder in which the front keeps scheduled backups. */
function backupFolders({ SANDGLASS_BACKUP_TO: place, SANDGLASS_BACKUP_HOURS: hours }: Settings): Seen[] {
  return hours !== undefined && place?.kind === 'folder' ? [{ how: 'writable', path: place.path }] : []
}

/** The folders in which a database of the operator listens. */
function socketFolders(settings: Settings): string[] {
  const urls = [settings.DATABASE_URL, settings.SANDGLASS_DATABASE_OWNER_URL]
  const hosts = urls.flatMap(url => (url && new URL(url).searchParams.get('host')) || [])
  return [...new Set(hosts)].filter(host => host.startsWith('/'))
}

/** Resolves with an exit code, which is that of a shell if a signal ended the process. */
function exitOf(front: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    front.once('error', reject)
    front.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}
