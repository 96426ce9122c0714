export { liveMethods } from './methods.ts'
export { RemoteSession } from './remote-session.ts'
export { serveLive } from './serve-live.ts'
