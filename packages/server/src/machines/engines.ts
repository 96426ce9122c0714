import type { Engine, EngineHealth, PackageSource } from '@sandglass/machines/contract'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'

/** The engines of this process, and whether each can make machines now. */
export interface Engines {
  /** Those that this process is set up for, whether or not they are open. */
  readonly names: readonly string[]
  /** Undefined while it is down, and where this process has none of that name. */
  get(name: string): Engine | undefined
  /** Settles when it is open for the first time, which may be never. */
  opened(name: string): Promise<Engine>
  /** Also of one that is down or that this process does not have: `reason` then says so. */
  health(name: string): Promise<EngineHealth>
  /** Fetches what applications are made of; undefined where nothing can be fetched. */
  readonly packages?: PackageSource | undefined
  /** Settles when it is open and everything that it prepares in the background is ready, or has failed. */
  prepared(name: string): Promise<void>
  close(): Promise<void>
}

/** For a service that makes no machines. */
export const noEngines: Engines = {
  names: [],
  get: () => undefined,
  opened: () => new Promise(() => {}),
  health: async () => ({ ready: false, reason: 'This service makes no machines.' }),
  prepared: async () => {},
  close: async () => {},
}

/** Why no machine of this shape can be made here now; undefined where one can. */
export async function obstacleTo(
  engines: Engines,
  { engine, image }: Pick<CatalogueShape, 'engine' | 'image'>,
): Promise<string | undefined> {
  const health = await engines.health(engine)
  return health.ready ? health.unavailable[image] : health.reason
}
