export { Kcp } from './kcp.ts'
export { KcpError } from './kcp-error.ts'
export type { KcpOptions } from './options.ts'
