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
export { type LocalEngineOptions, type Settings, settle, type Uplink } from './options.ts'
