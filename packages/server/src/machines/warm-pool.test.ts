import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { startMachineService } from '../testing/test-machines.ts'

const { service, engine } = await startMachineService({ warm: 2 })

const pooled = async () =>
  (await service.pool.db.selectFrom('machines').select('id').where('state', '=', 'ready').execute()).map(
    ({ id }) => id,
  )

test('a create claims a booted machine at once, and the pool is refilled', async () => {
  await waitFor(async () => (await pooled()).length === 2)
  const before = await pooled()
  const { body } = await service.post('~/sandboxes', { shape: 'warm' })
  assert.equal(body.status, 'RUNNING')
  const { machine_id: claimed } = await service.pool.db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  assert.ok(claimed && before.includes(claimed))
  await waitFor(async () => (await pooled()).length === 2)
  assert.ok(!(await pooled()).includes(claimed), 'it is never given back')
  await service.remove(`~/sandboxes/${body.id}`)
})

test('concurrent creates never claim the same machine', async () => {
  await waitFor(async () => (await pooled()).length === 2)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => service.post('~/sandboxes', { shape: 'warm' })),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  const rows = await service.pool.db.selectFrom('sandboxes').select('machine_id').execute()
  assert.equal(new Set(rows.map(({ machine_id }) => machine_id)).size, 5)
  for (const { body } of answers) await service.remove(`~/sandboxes/${body.id}`)
})

test('a create with its own options does not get a pooled machine', async () => {
  await waitFor(async () => (await pooled()).length === 2)
  const { body } = await service.post('~/sandboxes', { shape: 'warm', env: { A: 'b' } })
  assert.equal(body.status, 'PENDING')
  await service.remove(`~/sandboxes/${body.id}`)
})

test('a pooled machine that dies is replaced', async () => {
  await waitFor(async () => (await pooled()).length === 2)
  const [victim] = await pooled()
  const { handle } = await service.pool.db
    .selectFrom('machines')
    .select('handle')
    .where('id', '=', victim ?? '')
    .executeTakeFirstOrThrow()
  assert.ok(handle)
  const machine = await engine.open(handle)
  // The machine may end before it can report that the program has started.
  await machine.exec({ executable: 'sh', args: ['-c', 'kill -TERM 1'], user: 'root' }).catch(() => {})
  await machine.died
  machine.close()
  await waitFor(async () => !(await pooled()).includes(victim ?? ''))
  await service
    .post('~/sandboxes', { shape: 'warm' })
    .then(({ body }) => service.delete(`~/sandboxes/${body.id}`))
  await waitFor(async () => (await pooled()).length === 2)
})
