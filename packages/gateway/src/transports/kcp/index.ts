export { connectKcp, type KcpTarget } from './client.ts'
export { type KcpCounts, KcpListener, type KcpListenerOptions } from './listener.ts'
export type { Deadlines, Limits } from './settings.ts'
export type { Certificate } from './tls-contexts.ts'
