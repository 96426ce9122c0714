import type { HostConnection } from '@sandglass/host'
import type { Workers } from '@sandglass/workers/contract'
import { WorkerPool } from '@sandglass/workers/pool'
import type { RawFolder } from '@sandglass/workers/raw'
import type { Logger } from 'pino'
import type { Settings } from './settings.ts'

/** The workers of a front. `frames` has what was not encoded when the service was one process. Nobody can do that any more. */
export function openWorkers(
  { workers }: HostConnection,
  settings: Settings,
  log: Logger,
  frames: RawFolder,
): Workers {
  frames.keep([]).catch(error => log.warn({ error }, 'old frames could not be deleted'))
  return new WorkerPool({
    host: workers,
    maxWorkers: settings.SANDGLASS_WORKERS,
    onFailure: error => log.warn({ error }, 'a worker could not be started'),
    onLoss: pid => log.warn({ pid }, 'a worker ended; its machines are opened again in another one'),
  })
}
