export { connectLive, type LiveOptions } from './connect-live.ts'
export type { LiveTransport } from './connecting/link.ts'
export type { LiveEvents, LiveLease, LiveState, LiveStatistics } from './live-events.ts'
export type { LiveView } from './live-view.ts'
