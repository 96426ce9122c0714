import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrialToken } from '@sandglass/protocol'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()
const asTrial = (token: string) => ({ key: null, headers: { 'x-trial-session-token': token } })

test('a trial token can read its shapes and what trials are allowed to read, and nothing else', async () => {
  const { status, body } = await service.post('~/trial-tokens', {
    shapeNames: ['linux-desktop'],
    sandboxQuota: 2,
  })
  assert.equal(status, 200)
  TrialToken.parse(body)
  assert.match(body.trialToken, /^sgt_/)
  const trial = asTrial(body.trialToken)
  const shapes = await service.get('~/shapes', trial)
  assert.deepEqual(
    shapes.body.map(({ name }: { name: string }) => name),
    ['linux-desktop'],
  )
  assert.equal((await service.get('~/projects', trial)).status, 200)
  for (const path of ['~/stats', '~/api-keys', '~/audit-log', '~/trial-tokens']) {
    const refused = await service.get(path, trial)
    assert.deepEqual([refused.status, refused.body.code], [403, 'auth.NOT_FOR_TRIALS'], path)
  }
})

test('a revoked trial token stops working before its revocation is answered', async () => {
  const { body } = await service.post('~/trial-tokens', { shapeNames: ['linux-desktop'] })
  assert.equal((await service.get('~/shapes', asTrial(body.trialToken))).status, 200)
  assert.equal((await service.delete(`~/trial-tokens/${body.id}`)).status, 200)
  assert.equal((await service.get('~/shapes', asTrial(body.trialToken))).status, 401)
  assert.equal((await service.delete(`~/trial-tokens/${body.id}`)).body.code, 'trialToken.NOT_FOUND')
})

test('an unknown shape is refused with a list of the known ones', async () => {
  const { status, body } = await service.post('~/trial-tokens', { shapeNames: ['toaster'] })
  assert.deepEqual([status, body.code], [400, 'shape.NOT_FOUND'])
  assert.match(body.message, /toaster.*linux-desktop, linux-desktop-large/)
})

test('a member cannot create trial tokens', async () => {
  const key = await service.keyOf('member')
  const refused = await service.post('~/trial-tokens', { shapeNames: ['linux-desktop'] }, { key })
  assert.deepEqual([refused.status, refused.body.code], [403, 'auth.FORBIDDEN'])
})
