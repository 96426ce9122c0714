import { setTimeout as pause } from 'node:timers/promises'

/** The passing of time. Tests have one that they move on themselves, so that no result depends on the speed of the box. */
export interface Clock {
  /** In milliseconds; it never goes back. */
  now(): number
  /** Rejects when the signal fires first. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => pause(ms, undefined, { signal }),
}
