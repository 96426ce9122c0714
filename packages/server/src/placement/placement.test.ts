import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../testing/test-service.ts'
import { nodeTag } from './node-tag.ts'
import { Peers } from './peers/peers.ts'
import { Placement } from './placement.ts'

test('a machine is here, on another node, or nowhere', async () => {
  const { pool } = await startTestService()
  const [{ id: nodeId } = assert.fail()] = await pool.db.selectFrom('nodes').select('id').execute()
  const peers = Object.create(Peers.prototype)
  const placement = new Placement({ nodeId, db: pool.db, peers })
  assert.deepEqual(placement.locate({ node_id: nodeId }), { at: 'here' })
  assert.deepEqual(placement.locate({ node_id: 'other' }), { at: 'node', nodeId: 'other' })
  assert.equal(placement.locate({ node_id: null }).at, 'gone')
  assert.ok(placement.isHere(nodeId))
  assert.ok(!placement.isHere('other'))

  assert.deepEqual(await placement.locateTag(nodeTag(nodeId)), { at: 'here' })
  const elsewhere = new Placement({ nodeId: 'other', db: pool.db, peers })
  assert.deepEqual(await elsewhere.locateTag(nodeTag(nodeId)), { at: 'node', nodeId })
  assert.equal((await placement.locateTag(nodeTag('nobody'))).at, 'gone')
})
