/** What a flush put on its way. */
export interface Flushed {
  readonly sent: number
  readonly resentFast: number
  readonly timedOut: number
  readonly inFlight: number
  /** Whether more would have been sent, had the window been wider. */
  readonly full: boolean
}

/** Decides how many segments may be on their way at once, beside what the two ends have room for. */
export interface CongestionControl {
  readonly segments: number
  /** Segments came; more than `limit` may not be on their way. */
  acknowledged(count: number, limit: number): void
  /** One of them took so long from here and back. */
  measured(roundTripMs: number, now: number): void
  flushed(what: Flushed): void
}

/** Leaves it to the room of the two ends. */
export const noControl: CongestionControl = {
  segments: Number.POSITIVE_INFINITY,
  acknowledged() {},
  measured() {},
  flushed() {},
}
