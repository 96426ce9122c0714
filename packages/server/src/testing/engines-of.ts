import type { Engine, PackageSource } from '@sandglass/machines/contract'
import type { Engines } from '../machines/engines.ts'

/** A process whose only engine is this one, open from the beginning. */
export function enginesOf(engine: Engine, packages?: PackageSource): Engines {
  return {
    names: [engine.name],
    get: name => (name === engine.name ? engine : undefined),
    opened: async () => engine,
    health: async name =>
      name === engine.name
        ? await engine.health()
        : { ready: false, reason: `This service has no engine ${name}.` },
    packages,
    prepared: async () => {},
    close: () => engine.close(),
  }
}
