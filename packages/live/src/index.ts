export { connectLive } from './connect-live.ts'
export type { LiveTransport } from './connecting/link.ts'
export type {
  LiveEvents,
  LiveLease,
  LiveSandbox,
  LiveState,
  LiveStatistics,
  LiveViewers,
} from './live-events.ts'
export type { LiveOptions } from './live-options.ts'
export type { LiveView } from './live-view.ts'
