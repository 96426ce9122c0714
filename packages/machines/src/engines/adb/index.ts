export { AdbEngine } from './adb-engine.ts'
export { parseAddress } from './device-address.ts'
export type { AdbEngineOptions, PhonePool, Reset } from './options.ts'
