export { IncusEngine } from './incus-engine.ts'
export { type ClusterMachine, openClusterMachine } from './machine/open-machine.ts'
export type { ClusterDetails } from './machine/reach.ts'
export type { IncusEngineOptions } from './options.ts'
