import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../testing/test-service.ts'

const service = await startTestService({
  SANDGLASS_RATE_LIMIT: '20',
  SANDGLASS_FAILURE_LIMIT: '5',
  SANDGLASS_CORS_ORIGINS: '',
})

test('requests per minute are limited per credential, and every answer contains the remaining number', async () => {
  const key = await service.keyOf('viewer')
  for (let left = 19; left >= 0; left--) {
    const { status, headers } = await service.get('~/stats', { key })
    assert.deepEqual([status, headers.get('ratelimit-remaining')], [200, String(left)])
    assert.equal(headers.get('ratelimit-limit'), '20')
  }
  const { status, headers, body } = await service.get('~/stats', { key })
  assert.deepEqual([status, body.code], [429, 'rate.LIMITED'])
  assert.ok(Number(headers.get('retry-after')) > 0 && Number(headers.get('retry-after')) <= 60)
  assert.equal((await service.get('~/stats')).status, 200, 'another credential is not held up')
})

test('invalid credentials per minute are limited per address, and a valid one still works', async () => {
  const guess = () => service.get('~/stats', { key: `sgk_${'x'.repeat(43)}` })
  for (let i = 0; i < 5; i++) assert.equal((await guess()).status, 401)
  const { status, headers, body } = await guess()
  assert.deepEqual([status, body.code], [429, 'rate.TOO_MANY_FAILURES'])
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal((await service.get('~/stats')).status, 200)
})

test('CORS is off unless it is configured', async () => {
  const { status, headers } = await service.call('OPTIONS', '~/projects', {
    key: null,
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [405, null])
})
