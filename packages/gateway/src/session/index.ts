export { ScreenSession, type ScreenSessionListener } from './screen-session.ts'
export type { RoomMachine, RoomPicture, RoomSession, SessionListener } from './session.ts'
