import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

/** An organization can use a hundredth of the time, so that a few large bodies are too many. */
const service = await startTestService({ SANDGLASS_ORGANIZATION_SHARE: '1' }, async () => paperEngines())

test('an organization that has used its processing time is asked to wait, and another one is not', async () => {
  const other = await service.otherOrganization()
  // The body takes long to read and is refused, so nothing else in the service is busy with it.
  const list = Array.from({ length: 9_500 }, (_, i) => ({
    [`"name\n${i.toString(36)}"`]: `\\"${'\n'.repeat(6)}`,
  }))
  const body = `{"textContent":1,"__proto__":{},"list":${JSON.stringify(list)}}`
  const stats = () => service.get(`/api/orgs/${other.orgId}/stats`, { key: other.apiKey })
  const post = async () => {
    // An organization that is alone can use all of the time.
    assert.equal((await stats()).status, 200)
    return await service.post('/api/computer-use/parse/seed', body)
  }
  let refused = await post()
  for (let i = 0; i < 200 && refused.status === 400; i++) refused = await post()
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate.LIMITED'])
  assert.match(refused.body.message, /share of processing time/)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal((await stats()).status, 200)
})
