export { makeWorkerGroup, sweepWorkerGroups } from '@sandglass/machines/worker-groups'
export { HostConnection } from './host-connection.ts'
export { HostEngine } from './host-engine.ts'
export { ignoreNonsense } from './ignore-nonsense.ts'
export { machineErrors } from './machine-errors.ts'
export type { EngineOfHost, HostedEngine, OpenedOnHost } from './opened-engines.ts'
export { type ServedHost, serveHost } from './serve-host.ts'
export type { OfferedShape, ShapeOffer } from './shape-offer.ts'
export {
  fileDescriptor,
  type StartedChild,
  type WorkerStarter,
  workerDescriptor,
} from './workers/serve-workers.ts'
export { socketPair } from './workers/socket-pair.ts'
