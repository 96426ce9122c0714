export { type HelloOf, LiveClient } from './live-client.ts'
export { type LossyProxy, startLossyProxy } from './lossy-proxy.ts'
export { dialWebSocket } from './web-socket.ts'
