import {
  type Engine,
  type EngineHealth,
  MachineError,
  type PackageSource,
} from '@sandglass/machines/contract'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'

/** The engines of this process, and whether each can create machines now. */
export interface Engines {
  /** The engines that this process is configured to use, whether or not they are open. */
  readonly names: readonly string[]
  /** Returns undefined if the engine is down or this process has no engine of that name. */
  get(name: string): Engine | undefined
  /** Settles when the engine is open for the first time, which may be never. */
  opened(name: string): Promise<Engine>
  /** Also answers for an engine that is down or that this process does not have, with a `reason` that says so. */
  health(name: string): Promise<EngineHealth>
  /** Fetches application packages; undefined if no engine can install any. */
  readonly packages?: PackageSource | undefined
  /** Updates the catalogue with the shapes that engines add to it by themselves. Left out if none does. */
  refreshOffers?(): Promise<void>
  /** Settles when the engine is open and its background preparation has succeeded or failed. */
  prepared(name: string): Promise<void>
  close(): Promise<void>
}

/** The engines of a service that creates no machines. */
export const noEngines: Engines = {
  names: [],
  get: () => undefined,
  opened: () => new Promise(() => {}),
  health: async () => ({ ready: false, reason: 'This service makes no machines.' }),
  prepared: async () => {},
  close: async () => {},
}

/** Returns the engine of a machine, and throws if it is down or this process does not have it. */
export function engineOf(engines: Engines, name: string): Engine {
  const engine = engines.get(name)
  if (engine) return engine
  if (engines.names.includes(name)) throw new MachineError('UNREACHABLE', `The engine ${name} is down.`)
  throw new MachineError('STATE', `This process has no engine ${name}.`)
}

/** Why no machine of a shape can be created. */
export interface Obstacle {
  /** A sentence for a person. */
  readonly reason: string
  /** Whether nothing is wrong, and the service is preparing what machines of the shape need. */
  readonly isPassing: boolean
}

/** Returns why no machine of this shape can be created here now, or undefined if one can. */
export async function obstacleTo(
  engines: Engines,
  { engine, image }: Pick<CatalogueShape, 'engine' | 'image'>,
): Promise<Obstacle | undefined> {
  const health = await engines.health(engine)
  if (!health.ready) return { reason: health.reason, isPassing: health.isOpening === true }
  const reason = health.unavailable[image]
  if (reason === undefined) return undefined
  return { reason, isPassing: health.preparing?.includes(image) === true }
}
