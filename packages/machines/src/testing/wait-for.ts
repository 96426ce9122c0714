import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Longer than anything takes on a box that is busy with other tests. Use a shorter timeout only for what is promised
 * within it.
 */
export const patienceMs = 120_000

/** Polls until a condition holds, and fails after the timeout. */
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
