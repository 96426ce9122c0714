import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { makeWorkerGroup, type StartedChild } from '@sandglass/host'
import { maxRawFileBytes } from '@sandglass/workers/contract'
import type { RawFolder } from '@sandglass/workers/raw'
import { findCompiledCode } from './compiled-code.ts'
import { viewOf } from './front-view.ts'
import { launchConfined } from './launch-confined.ts'

const program = resolve(import.meta.dirname, '../../../workers/src/worker/main.ts')
const quickImports = resolve(import.meta.dirname, 'quick-imports.ts')

/**
 * Each worker has a user of its own, so that none can signal or trace another. The ids are above those that distributions
 * assign, and below those of machines.
 */
const firstUser = 14 * 65_536
const users = 65_536

/** The garbage collector begins to work harder well before the limit of the group is reached. */
const heapShare = 0.5

export interface WorkerLaunch {
  readonly checkout: string
  readonly memoryMiB: number
  readonly number: number
  /** Where frames wait to be encoded. */
  readonly rawFolder: RawFolder
  /** The file of a worker that has ended. If it is given, the worker only reads that. */
  readonly oldFile?: string | undefined
}

/**
 * Starts a worker, which reads what machines send. It has no rights, no network, sees no files but its program, and is ended
 * if it takes too much memory.
 */
export async function launchWorker(
  { checkout, memoryMiB, number, rawFolder, oldFile }: WorkerLaunch,
  onEnd: () => void,
): Promise<StartedChild> {
  const id = firstUser + randomInt(users)
  const user = { uid: id, gid: id }
  const group = await makeWorkerGroup(number, memoryMiB)
  const view = await viewOf(
    [
      { how: 'read-only', path: checkout },
      { how: 'read-only', path: process.execPath },
    ],
    user,
  )
  const file = rawFolder.open(oldFile)
  const child = launchConfined({
    user,
    view,
    command: [
      // No file that a worker can write to, above all that of its frames, gets larger.
      ...['prlimit', `--fsize=${maxRawFileBytes}`, '--'],
      process.execPath,
      `--max-old-space-size=${Math.round(memoryMiB * heapShare)}`,
      ...['--import', quickImports],
      program,
      ...(file.isOld ? ['--old-file'] : []),
    ],
    env: passedOn(),
    folder: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc', file.descriptor],
    group: group.join,
    compiled: await findCompiledCode(checkout),
    namespaces: ['--net', '--ipc'],
  })
  rawFolder.close(file)
  const end = () => {
    onEnd()
    rawFolder.ended(file.name)
    void group.remove()
  }
  child.once('exit', end).once('error', end)
  return { child, file: file.name }
}

/** Nothing else of the environment, because settings may be secrets. */
function passedOn(): NodeJS.ProcessEnv {
  const names = ['PATH', 'NODE_ENV', 'UV_THREADPOOL_SIZE']
  return Object.fromEntries(names.map(name => [name, process.env[name]]))
}
