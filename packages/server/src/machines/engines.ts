import type { Engine, PackageSource } from '@sandglass/machines/contract'

/** The engines of this process, and whether each can make machines of an image now. */
export interface Engines {
  get(name: string): Engine | undefined
  /** Why no machine of this image can be made now; undefined where one can. */
  obstacle(engine: string, image: string): string | undefined
  /** Fetches what applications are made of; left out where nothing can be fetched. */
  readonly packages?: PackageSource
  /** Settles when everything that was being prepared is ready, or has failed. */
  readonly prepared: Promise<void>
  close(): Promise<void>
}

/** For a service that makes no machines. */
export const noEngines: Engines = {
  get: () => undefined,
  obstacle: () => 'This service makes no machines (SANDGLASS_MACHINES is none).',
  prepared: Promise.resolve(),
  close: async () => {},
}
