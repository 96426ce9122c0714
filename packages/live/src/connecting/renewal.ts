/** A timer of a browser takes no more. */
const longestMs = 2 ** 31 - 1
/** Where the clock here says that the token has ended, though it was taken. */
const wrongClockMs = 30_000

/** When to ask for a newer token: with a quarter of its life left. */
export function renewalDelayMs(expiresAt: string, now: number): number {
  const left = Date.parse(expiresAt) - now
  return left > 0 ? Math.min(longestMs, left * 0.75) : wrongClockMs
}
