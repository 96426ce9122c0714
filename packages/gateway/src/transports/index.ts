export { type Arrival, type Transport, transports, type Welcome } from './arrival.ts'
export { livePath, WebSocketListener } from './websocket.ts'
