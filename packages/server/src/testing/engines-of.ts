import type { Engine, PackageSource } from '@sandglass/machines/contract'
import type { Engines } from '../machines/engines.ts'

/** The engines of a process that has only this one, which is open from the start. */
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
