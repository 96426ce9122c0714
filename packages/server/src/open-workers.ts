import type { HostConnection } from '@sandglass/host'
import { SameProcess, WorkerPool } from '@sandglass/workers'
import type { Workers } from '@sandglass/workers/contract'
import type { RawFolder } from '@sandglass/workers/raw'
import type { Logger } from 'pino'
import type { Settings } from './settings.ts'

/** The workers of a front. Phones are not machines of the host, so this process talks to them. */
export function openWorkers(
  { workers }: HostConnection,
  settings: Settings,
  log: Logger,
  frames: RawFolder,
): Workers {
  return new WorkerPool({
    host: workers,
    engines: new Set(['local']),
    maxWorkers: settings.SANDGLASS_WORKERS,
    otherwise: new SameProcess(error => log.warn({ error }, 'an encoder thread crashed'), frames),
    onFailure: error => log.warn({ error }, 'a worker could not be started'),
    onLoss: pid => log.warn({ pid }, 'a worker ended; its machines are opened again in another one'),
  })
}
