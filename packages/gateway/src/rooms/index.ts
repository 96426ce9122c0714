export type { Elsewhere, Forwarding, Pass, RoomHost, RoomState } from './host.ts'
export type { Room, RoomViewer } from './room.ts'
export { type RoomLimits, Rooms } from './rooms.ts'
