import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Longer than anything takes on a box that is busy with other tests. Use a shorter timeout only for what is promised
 * within it.
 */
export const patienceMs = 120_000

/** Polls are frequent at first, so that a short wait stays short, and later rare, so that a long one leaves the processors to others. */
const minPauseMs = 10
const maxPauseMs = 100
const pauseShare = 0.1

/** Polls until a condition holds, and fails after the timeout. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = patienceMs,
): Promise<void> {
  const start = Date.now()
  while (!(await condition())) {
    const waitedMs = Date.now() - start
    assert.ok(waitedMs < timeoutMs, `the condition did not hold within ${timeoutMs} ms: ${condition}`)
    await pause(Math.min(maxPauseMs, minPauseMs + waitedMs * pauseShare))
  }
}
