export { HostConnection } from './host-connection.ts'
export { HostEngine, type OpenMachine } from './host-engine.ts'
export { type HostedEngine, type OpenedOnHost, type ServedHost, serveHost } from './serve-host.ts'
