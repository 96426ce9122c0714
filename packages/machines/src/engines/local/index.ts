export {
  type DebianPackage,
  debianPackages,
  installCommand,
  installMissing,
  missingPackages,
} from './debian-packages.ts'
export { type Check, doctor } from './doctor.ts'
export { type HostRoom, hostRoom, roomFor } from './host-room.ts'
export { LocalEngine } from './local-engine.ts'
export { type LocalEngineOptions, type Settings, settle, type Uplink } from './options.ts'
