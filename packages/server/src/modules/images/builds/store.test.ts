import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transact } from '../../../db/transact.ts'
import { startTestService } from '../../../testing/test-service.ts'
import { keepStep, removeUnusedSteps, selectSteps, touchSteps, trimSteps } from './store.ts'

const service = await startTestService()
const { db } = service.pool
const { id: nodeId } = await db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()
const cache = { orgId: service.orgId, nodeId }
const keys = ['first', 'second', 'third', 'fourth']

/** Adds a step with a disk of this size, as if it had been used so many days ago. */
async function keep(key: string, sizeMiB: number, days: number): Promise<void> {
  const id = `disk-${key}-${Math.random().toString(36).slice(2, 8)}`
  await sql`INSERT INTO saved_disks (id, node_id, engine, shape_name, spec, state, size_mib)
    VALUES (${id}, ${nodeId}, 'absent', 'small', '{}', 'ready', ${sizeMiB})`.execute(db)
  await transact(db, tx => keepStep(tx, cache, key, id))
  await sql`UPDATE build_steps SET used_at = now() - make_interval(days => ${days}) WHERE key = ${key}`.execute(
    db,
  )
}

const kept = async () => [...(await selectSteps(db, cache, keys)).keys()].sort()
const disks = async () =>
  (await db.selectFrom('saved_disks').select(['id', 'state']).execute()).map(({ id, state }) => [
    id.split('-')[1],
    state,
  ])

test('the steps that were not used for the longest time are removed first, and their disks are doomed', async () => {
  for (const [at, key] of keys.entries()) await keep(key, 100, keys.length - at)
  await transact(db, tx => touchSteps(tx, cache, ['first']))
  await transact(db, tx => trimSteps(tx, cache, { maxSteps: 3, maxMiB: 1000 }))
  assert.deepEqual(await kept(), ['first', 'fourth', 'third'])
  await transact(db, tx => trimSteps(tx, cache, { maxSteps: 3, maxMiB: 200 }))
  assert.deepEqual(await kept(), ['first', 'fourth'])
  assert.deepEqual(
    (await disks())
      .filter(([, state]) => state === 'doomed')
      .map(([key]) => key)
      .sort(),
    ['second', 'third'],
  )
})

test('the last step is kept, however large it is', async () => {
  await transact(db, tx => trimSteps(tx, cache, { maxSteps: 3, maxMiB: 1 }))
  assert.deepEqual(await kept(), ['first'])
})

test('a step that is done again replaces the disk of the earlier one', async () => {
  await keep('first', 100, 0)
  const ofFirst = (await disks()).filter(([key]) => key === 'first').map(([, state]) => state)
  assert.deepEqual(ofFirst.sort(), ['doomed', 'ready'])
})

test('steps that nobody uses are removed, and all of them when the node is drained', async () => {
  await keep('second', 100, 30)
  await removeUnusedSteps(db, nodeId, 14)
  assert.deepEqual(await kept(), ['first'])
  await db.updateTable('nodes').set({ draining_since: new Date() }).where('id', '=', nodeId).execute()
  await removeUnusedSteps(db, nodeId, 14)
  assert.deepEqual(await kept(), [])
})

test('a disk stays as long as an image has it', async () => {
  await keep('third', 100, 0)
  const [[, diskId] = []] = [...(await selectSteps(db, cache, ['third']))]
  assert.ok(diskId)
  await sql`INSERT INTO machine_images (id, org_id, name, shape_name, status, disk_id, created_by)
    VALUES ('image', ${service.orgId}, 'image', 'small', 'READY', ${diskId}, 'test')`.execute(db)
  await removeUnusedSteps(db, nodeId, 0)
  const stateOf = async () =>
    (await db.selectFrom('saved_disks').select('state').where('id', '=', diskId).executeTakeFirst())?.state
  assert.equal(await stateOf(), 'ready')
  assert.equal((await service.delete('~/machine-images/image')).status, 204)
  assert.notEqual(await stateOf(), 'ready')
})
