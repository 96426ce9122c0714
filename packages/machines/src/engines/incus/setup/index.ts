export { type IncusAddress as ClientAddress, IncusClient, makeClientCertificate } from '../client/index.ts'
export { tellStatus } from './cluster-status.ts'
export { openIncus } from './daemon.ts'
export { clusterDoctor } from './doctor.ts'
export { type InitializedCluster, initCluster, inviteMember } from './init-cluster.ts'
export { joinCluster } from './join-cluster.ts'
export { drainMember, removeMember, returnMember } from './leave-cluster.ts'
export { type ClusterNames, defaultNames } from './names.ts'
export type { InterfaceAddress } from './network.ts'
export { installIncus } from './packages.ts'
export { findPool } from './pool.ts'
export { readServer } from './server.ts'
export { type SetupContext, SetupError } from './setup-context.ts'
export {
  chooseStorage,
  type StorageDriver,
  type StorageWish,
  seeStorageHost,
  storageDrivers,
} from './storage.ts'
