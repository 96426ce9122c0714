/** Arithmetic for sequence numbers and timestamps, which are 32 bits wide on the wire and wrap around. */

/** How far `a` is ahead of `b`; negative if it is behind. Correct for distances below 2^31. */
export const ahead = (a: number, b: number): number => (a - b) | 0

export const plus = (sequence: number, count: number): number => (sequence + count) >>> 0

/** Converts a time of the caller's clock, in milliseconds, to the wire. */
export const wireTime = (now: number): number => Math.floor(now) >>> 0
