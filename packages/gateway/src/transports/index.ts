export type { Arrival, Transport, Welcome } from './arrival.ts'
export { livePath, WebSocketListener } from './websocket.ts'
