export { LocalEngine } from './local-engine.ts'
export type { LocalEngineOptions, Uplink } from './options.ts'
