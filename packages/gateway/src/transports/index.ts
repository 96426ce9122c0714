export type { Arrival, Transport, Welcome } from './arrival.ts'
export { WebSocketListener } from './websocket.ts'
