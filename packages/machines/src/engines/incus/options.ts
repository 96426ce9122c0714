import type { IncusAddress } from './client/index.ts'

export interface IncusEngineOptions {
  readonly address: IncusAddress
  /** Everything that the engine makes is in this project of the cluster. */
  readonly project?: string
  /** The storage pool of machines, which every member has. */
  readonly pool?: string
  /** The bridge of machines that reach the internet. Networks of machines with a list of destinations are named after it. */
  readonly network?: string
  /** The group of members on which machines are placed. Incus chooses among all of them otherwise. */
  readonly group?: string
  /** Whether instances are prepared for the next machines. */
  readonly isPreparing?: boolean
  /** The folder with the images of this host, which are pushed to the cluster. */
  readonly imagesDir: string
  /** The name servers of machines that reach the internet. */
  readonly resolvers?: readonly string[]
  /** How long a machine may take until its desktop is ready. */
  readonly readyTimeoutMs?: number
}

export type IncusSettings = Required<Omit<IncusEngineOptions, 'group'>> & Pick<IncusEngineOptions, 'group'>

export function settleIncus(options: IncusEngineOptions): IncusSettings {
  return {
    project: 'sandglass',
    pool: 'sandglass',
    network: 'sgnet0',
    isPreparing: true,
    resolvers: [],
    readyTimeoutMs: 60_000,
    ...options,
  }
}
