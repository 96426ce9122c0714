import type { HostConnection } from '@sandglass/host'
import type { EngineSetup } from './engine-definition.ts'

/** An engine of the host, as the front opens it. The host prints the progress of what it installs and builds by itself. */
export function throughHost(setup: EngineSetup, host: HostConnection): EngineSetup {
  const { name, needsRoot } = setup
  return {
    ...setup,
    configure: async () => {
      await host.configure(name)
      return async () => {
        const { engine, offer } = await host.open(name)
        const packages = needsRoot?.packages?.()
        return {
          engine,
          ...(packages && { packages }),
          ...(offer && { offer }),
          prepared: host.prepared(name),
          close: () => engine.close(),
        }
      }
    },
  }
}
