export { processMethods } from './methods.ts'
export { remoteExec } from './remote-process.ts'
export { serveProcesses } from './serve-processes.ts'
