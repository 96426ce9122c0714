import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Longer than anything takes on a box that is busy with other tests; a shorter time is for what is promised in it. */
export const patienceMs = 120_000

/** Asks again and again until a condition holds; fails when it does not within the time. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = patienceMs,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    assert.ok(Date.now() < end, `the condition did not hold within ${timeoutMs} ms: ${condition}`)
    await pause(10)
  }
}
