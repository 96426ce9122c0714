import assert from 'node:assert/strict'
import type { TestService } from './test-service.ts'
import { waitFor } from './wait-for.ts'

/** Settles when a sandbox that was asked for runs; fails with its reason where it never will. */
export async function untilRunning(service: TestService, id: string): Promise<void> {
  const sandbox = async () => (await service.get(`~/sandboxes/${id}`)).body.sandbox
  await waitFor(async () => (await sandbox()).status !== 'PENDING')
  const { status, reason } = await sandbox()
  assert.equal(status, 'RUNNING', reason)
}
