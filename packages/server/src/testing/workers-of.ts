import { MachineError } from '@sandglass/machines/contract'
import type { Workers } from '@sandglass/workers/contract'
import { WorkerPool } from '@sandglass/workers/pool'
import { RawFolder } from '@sandglass/workers/raw'
import { workersHere } from '@sandglass/workers/testing'
import type { Logger } from 'pino'
import type { Engines } from '../machines/engines.ts'

/** Workers in the process of the test, so that whatever the service does with machines crosses as it does in earnest. */
export function workersOf(_log: Logger, engines: Engines, frames: RawFolder): Workers {
  return new WorkerPool({
    host: workersHere(
      async handle => {
        const engine = engines.get(handle.engine)
        if (!engine) throw new MachineError('UNREACHABLE', `The engine ${handle.engine} is down.`)
        return engine.open(handle)
      },
      new RawFolder(`${frames.path}-of-workers`, 'worker'),
    ),
  })
}
