import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMachineService } from '../testing/test-machines.ts'

// The host reserves more memory for itself than it has, so no machine fits.
const { service, engine } = await startMachineService({ reserveMemoryMiB: 100_000_000, warm: 1 })

test('a create without capacity answers 503 with Retry-After and leaves nothing behind, and the pool stays empty', async () => {
  const { status, headers, body } = await service.post('~/sandboxes', { shape: 'small' })
  assert.deepEqual([status, body.code], [503, 'machine.NO_CAPACITY'])
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.deepEqual((await service.get('~/sandboxes')).body, [])
  assert.deepEqual(await service.pool.db.selectFrom('machines').selectAll().execute(), [])
  assert.deepEqual(await engine.list(), [])
})
