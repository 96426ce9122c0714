import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { FakeScreen } from '../../packages/gateway/src/picture/testing/fake-screen.ts'
import {
  type Answer,
  startTestService,
  type TestService,
} from '../../packages/server/src/testing/test-service.ts'
import { paperEngines } from '../support/paper-engine.ts'
import { sharedDatabase } from '../support/shared-database.ts'

const { env } = await sharedDatabase()
const owner = await startTestService(env, async () => paperEngines({ screen: new FakeScreen(64, 48) }))
/** This process trusts a proxy on this host; the owner trusts none. */
const front = await startTestService({ ...env, SANDGLASS_TRUSTED_PROXIES: '127.0.0.1,::1' })
const { body: sandbox } = await owner.post('~/sandboxes', { shape: 'linux-desktop' })
await waitFor(async () => (await front.get(`~/sandboxes/${sandbox.id}/status`)).body.status === 'RUNNING')
const control = `~/sandboxes/${sandbox.id}/control`

/** Makes a call with these headers, and returns the address that the audit log has for it. */
async function auditedAddress(service: TestService, headers: Record<string, string>): Promise<string> {
  const answer = await service.call('PUT', control, { body: { holder: 'agent' }, headers })
  assert.equal(answer.status, 200, answer.text)
  const { body } = await owner.get(`~/audit-log?target=${sandbox.id}&operation=setSandboxControl`)
  const entry = body.entries.find(
    ({ requestId }: { requestId: string }) => requestId === answer.headers.get('x-request-id'),
  )
  return entry?.address
}

test('the owner records the client address that the forwarding process has determined', async () => {
  assert.equal(await auditedAddress(front, { 'x-forwarded-for': '203.0.113.9' }), '203.0.113.9')
})

test('a client cannot make the owner record another address', async () => {
  const proof = 'A'.repeat(43)
  const time = Date.now().toString(36).padStart(8, '0')
  const forgeries: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-sandglass-forwarded': '1', 'x-forwarded-for': '203.0.113.9' },
    { 'x-sandglass-forwarded': `${time} http 203.0.113.9 ${proof}` },
  ]
  for (const headers of forgeries) assert.match(await auditedAddress(owner, headers), /127\.0\.0\.1|::1/)
})

/** Returns the outcomes that the audit log has for a call. */
async function outcomesOf({ headers }: Answer): Promise<string[]> {
  const { body } = await owner.get('~/audit-log')
  return body.entries
    .filter(({ requestId }: { requestId: string }) => requestId === headers.get('x-request-id'))
    .map(({ outcome }: { outcome: string }) => outcome)
    .sort()
}

test('an error of the owner is forwarded unchanged, and audited once', async () => {
  const path = `~/sandboxes/${sandbox.id}/process`
  const body = { executable: 'nothing runs on paper' }
  const [direct, forwarded] = [await owner.post(path, body), await front.post(path, body)]
  const { requestId: _, ...expected } = direct.body
  const { requestId, ...answer } = forwarded.body
  assert.deepEqual([forwarded.status, answer], [direct.status, expected])
  assert.equal(requestId, forwarded.headers.get('x-request-id'))
  await waitFor(async () => (await outcomesOf(direct)).includes(direct.body.code))
  await waitFor(async () => (await outcomesOf(forwarded)).includes(direct.body.code))
  // Anything that the forwarding process had audited for the first call would be there before its entry for a later call.
  const later = await front.post('~/sandboxes/absent/process', body)
  await waitFor(async () => (await outcomesOf(later)).length > 0)
  assert.deepEqual(await outcomesOf(forwarded), await outcomesOf(direct))
})

test('only processes of the service can open a live connection without a WebSocket', async () => {
  const asked = request(`${owner.service.url}/live/from-peer/websocket`, {
    headers: { connection: 'upgrade', upgrade: 'sandglass-live' },
  })
  asked.end()
  const [answer] = await once(asked, 'response')
  assert.equal(answer.statusCode, 404)
  answer.resume()
})
