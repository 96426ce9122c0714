import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { Answer, TestService } from './test-service.ts'

/** Creates a sandbox, waits until it runs, and returns its id. Fails with its reason if it does not run. */
export async function makeSandbox(service: TestService, choices: object = {}): Promise<string> {
  const { body: made } = await retryWhileUnavailable(() =>
    service.post('~/sandboxes', { shapeName: 'small', ...choices }),
  )
  let last: { readonly status: string; readonly reason?: string } | undefined
  await waitFor(async () => {
    last = (await retryWhileUnavailable(() => service.get(`~/sandboxes/${made.id}`))).body.sandbox
    return last?.status !== 'PENDING'
  })
  assert.equal(last?.status, 'RUNNING', last?.reason)
  return made.id
}

/** Repeats a call while it is answered with a 503, which can happen on a host that starts many machines at once. */
async function retryWhileUnavailable(call: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined
  await waitFor(async () => {
    answer = await call()
    return answer.status !== 503
  })
  assert.ok(answer?.status === 200, answer?.text)
  return answer
}
