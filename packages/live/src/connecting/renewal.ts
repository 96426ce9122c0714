/** Browser timers overflow above this. */
const maxTimerMs = 2 ** 31 - 1
/** Used if this computer's clock says that the token has expired although the service accepted it. */
const expiredRetryMs = 30_000

/** How long to wait before renewing a token: until a quarter of its lifetime is left. */
export function renewalDelayMs(expiresAt: string, now: number): number {
  const leftMs = Date.parse(expiresAt) - now
  return leftMs > 0 ? Math.min(maxTimerMs, leftMs * 0.75) : expiredRetryMs
}
