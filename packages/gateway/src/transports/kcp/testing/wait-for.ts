import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

/** Asks again and again until a condition holds; fails when it does not within the time. */
export async function waitFor(condition: () => boolean, timeoutMs = 120_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!condition()) {
    assert.ok(Date.now() < end, `the condition did not hold within ${timeoutMs} ms: ${condition}`)
    await delay(10)
  }
}
