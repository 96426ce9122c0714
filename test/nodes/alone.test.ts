import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineData, makeSandboxes, stop } from '../support/machine-process.ts'
import { NodeDatabase, nodeIdIn } from '../support/nodes.ts'
import { call, ServiceProcess } from '../support/service-process.ts'

test('a single node that was stopped for hours takes up its sandboxes and declares nothing lost', async () => {
  const database = await NodeDatabase.start()
  const { data, env } = await machineData()
  const before = await ServiceProcess.start(data, { ...env, ...database.env })
  const [id] = await makeSandboxes(await before.credentials(), 1)
  await stop(before)
  const nodeId = await nodeIdIn(data)
  await database.backdate(nodeId, '3 hours')

  const after = await ServiceProcess.start(data, { ...env, ...database.env })
  await database.waitForHeartbeats(nodeId, 3)
  const { body } = await call(await after.credentials(), 'GET', `~/sandboxes/${id}`)
  assert.equal(body.sandbox.status, 'RUNNING')
  const spans = await database.db.selectFrom('usage_spans').select('ended_at').execute()
  assert.deepEqual(spans, [{ ended_at: null }])
  const lost = await database.db
    .selectFrom('audit_log')
    .select('id')
    .where('operation', '=', 'declareNodeLost')
    .execute()
  assert.deepEqual(lost, [])
})
