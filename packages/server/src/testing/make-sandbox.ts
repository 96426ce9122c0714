import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { TestService } from './test-service.ts'

/** Creates a sandbox, waits until it runs, and returns its id. Fails with its reason if it does not run. */
export async function makeSandbox({ client }: TestService, choices: object = {}): Promise<string> {
  const { id: sandboxId } = await client.createSandbox({ body: { shapeName: 'small', wait: 60, ...choices } })
  let last: { readonly status: string; readonly reason?: string | undefined } | undefined
  await waitFor(async () => {
    last = (await client.getSandbox({ sandboxId })).sandbox
    return last.status !== 'PENDING'
  })
  assert.equal(last?.status, 'RUNNING', last?.reason)
  return sandboxId
}
