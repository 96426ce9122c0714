import { setTimeout as pause } from 'node:timers/promises'

/**
 * A source of time. Tests pass one that they advance themselves, so that no result depends on the speed of the box.
 */
export interface Clock {
  /** The current time in milliseconds; it never goes back. */
  now(): number
  /** Resolves after `ms`, or rejects if the signal fires first. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => pause(ms, undefined, { signal }),
}
