export { type HelloOf, LiveClient } from './live-client.ts'
export { dialWebSocket } from './web-socket.ts'
