import { join } from 'node:path'
import type { HostConnection } from '@sandglass/host'
import { AptMirror } from '@sandglass/machines/apt'
import type { Settings } from '../../settings.ts'
import type { EngineSetup } from '../engine-definition.ts'

/** The engine of the host, as the front opens it. The host prints the progress of what it installs and builds by itself. */
export function throughHost(
  setup: EngineSetup,
  host: HostConnection,
  { SANDGLASS_DATA: dataDirectory }: Settings,
): EngineSetup {
  return {
    ...setup,
    configure: async () => {
      await host.configure()
      return async () => {
        const engine = await host.open()
        return {
          engine,
          packages: packagesIn(dataDirectory),
          prepared: host.prepared(),
          close: () => engine.close(),
        }
      }
    },
  }
}

/** The packages for applications. What a machine says about itself is read for them, so root must not do it. */
export function packagesIn(dataDirectory: string): AptMirror {
  return new AptMirror(join(dataDirectory, 'packages'))
}
