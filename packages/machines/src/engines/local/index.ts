export {
  agentTimeouts,
  type Ending,
  type Guest,
  type GuestAccess,
  type GuestConsole,
  type GuestSocket,
} from './guest/guest.ts'
export {
  type DebianPackage,
  debianPackages,
  installCommand,
  installMissing,
  missingPackages,
} from './host/debian-packages.ts'
export { doctor } from './host/doctor.ts'
export { hasGvisor, installGvisor } from './host/gvisor-package.ts'
export { type HostRoom, hostRoom, roomFor } from './host/host-room.ts'
export { LocalEngine } from './local-engine.ts'
export { LocalMachine, type LocalReach } from './local-machine.ts'
export { machinePaths } from './machine-paths.ts'
export { receivedSocket } from './network/received-socket.ts'
export { runtimeNames } from './oci/runtimes.ts'
export { type LocalEngineOptions, type Settings, settle, type Uplink } from './options.ts'
export { LocalTransfer } from './transfer/local-transfer.ts'
