import assert from 'node:assert/strict'
import type { TestService } from './test-service.ts'
import { waitFor } from './wait-for.ts'

/** Settles when a sandbox that was asked for runs; fails with its reason where it never will. */
export async function untilRunning(service: TestService, id: string): Promise<void> {
  let last: { readonly status: string; readonly reason?: string } | undefined
  await waitFor(async () => {
    const { status, body, text } = await service.get(`~/sandboxes/${id}`)
    // On a box that starts many machines at once the service may ask its callers for patience.
    if (status === 503) return false
    assert.equal(status, 200, text)
    last = body.sandbox
    return last?.status !== 'PENDING'
  })
  assert.equal(last?.status, 'RUNNING', last?.reason)
}
