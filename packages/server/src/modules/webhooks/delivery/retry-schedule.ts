const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The delays after the first, second, … failed attempt. The first attempt has none. */
const delaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]
/** A delay is extended by up to this part of it, so that what failed together is not sent again together. */
const jitter = 0.1
/** The longest delay that an endpoint can ask for. */
const maxRetryAfterMs = 24 * hourMs

/**
 * Returns how long to wait before the next attempt, or undefined after the last one. An endpoint can ask for a longer delay than
 * the schedule has, but not for a shorter one.
 *
 * @param tries the number of attempts so far
 */
export function retryDelayMs(
  tries: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number | undefined {
  const delayMs = delaysMs[tries - 1]
  if (delayMs === undefined) return undefined
  return Math.max(delayMs * (1 + jitter * random()), Math.min(retryAfterMs, maxRetryAfterMs))
}

/**
 * Returns the delay that a Retry-After header asks for, or undefined if it is missing or invalid.
 *
 * @param nowMs the time that a date in the header is compared with
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  if (/^\d{1,9}$/.test(header)) return Math.min(Number(header) * secondMs, maxRetryAfterMs)
  // Without this, Date.parse reads a year in nearly every number.
  const date = / GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - nowMs), maxRetryAfterMs)
}
