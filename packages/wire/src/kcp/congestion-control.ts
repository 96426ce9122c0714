/** What a flush sent. */
export interface Flushed {
  readonly sent: number
  readonly resentFast: number
  readonly timedOut: number
  readonly inFlight: number
  /** Whether the window kept more from being sent. */
  readonly full: boolean
}

/** Limits the number of segments in flight, in addition to the send and receive windows. */
export interface CongestionControl {
  readonly segments: number
  /** `count` segments were acknowledged; the window may not exceed `limit`. */
  acknowledged(count: number, limit: number): void
  /** Reports a measured round-trip time. */
  measured(roundTripMs: number, now: number): void
  flushed(what: Flushed): void
}

/** No congestion control: only the send and receive windows limit. */
export const noControl: CongestionControl = {
  segments: Number.POSITIVE_INFINITY,
  acknowledged() {},
  measured() {},
  flushed() {},
}
