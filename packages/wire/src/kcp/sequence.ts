/** Sequence numbers and times on the wire are 32 bits wide and wrap around. */

/** How far `a` is ahead of `b`; negative when it is behind. Right for distances below 2^31. */
export const ahead = (a: number, b: number): number => (a - b) | 0

export const plus = (sequence: number, count: number): number => (sequence + count) >>> 0

/** A time of the caller's clock, in milliseconds, as the wire has it. */
export const wireTime = (now: number): number => Math.floor(now) >>> 0
