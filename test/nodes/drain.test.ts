import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { NodeDatabase, nodeOfSandbox } from '../support/nodes.ts'
import { type PaperNode, startPaperNode } from '../support/paper-nodes.ts'

const nodes = '/api/operator/nodes'

async function nodeIn(service: PaperNode, nodeId: string) {
  const { body } = await service.operator('GET', nodes)
  return body.find(({ id }: { id: string }) => id === nodeId)
}

async function make(service: PaperNode): Promise<string> {
  const { status, body, text } = await service.post('~/sandboxes', { shape: 'small' })
  assert.equal(status, 200, text)
  await waitFor(async () => (await service.get(`~/sandboxes/${body.id}/status`)).body.status === 'RUNNING')
  return body.id
}

const placedOn = (service: PaperNode, id: string) => nodeOfSandbox(service.pool.db, id)

test('a drained node keeps its sandboxes, accepts no new ones, and can be removed when it is empty', async () => {
  const database = await NodeDatabase.start()
  const drained = await startPaperNode(database, { places: 10, warm: 1 })
  const other = await startPaperNode(database, { places: 10 })
  const isWarm = async () => (await nodeIn(other, drained.nodeId)).capacity[0].warm === 1
  await waitFor(isWarm)
  const kept = await make(drained)
  assert.equal(await placedOn(other, kept), drained.nodeId)
  await waitFor(isWarm)
  const path = `${nodes}/${drained.nodeId}`

  const alive = await other.operator('DELETE', path)
  assert.deepEqual([alive.status, alive.body.code], [409, 'node.IN_USE'])
  assert.match(alive.body.message, /alive and takes new sandboxes/)

  const { status, body } = await other.operator('POST', `${path}/drain`)
  assert.deepEqual([status, body.state, body.id], [200, 'draining', drained.nodeId])
  assert.ok(Date.parse(body.drainingSince) > 0)
  const repeated = await other.operator('POST', `${path}/drain`)
  assert.equal(repeated.body.drainingSince, body.drainingSince)

  // The warm machine is destroyed, and the sandbox stays.
  const machines = async () => (await drained.engines.get('local')?.list()) ?? []
  await waitFor(async () => (await machines()).length === 1)
  assert.equal((await other.post(`~/sandboxes/${kept}/restart`)).status, 200)
  const elsewhere = await make(drained)
  assert.equal(await placedOn(other, elsewhere), other.nodeId)

  const occupied = await other.operator('DELETE', path)
  assert.deepEqual([occupied.status, occupied.body.code], [409, 'node.IN_USE'])
  assert.match(occupied.body.message, /a sandbox is still on it/)

  assert.equal((await other.operator('POST', `${path}/undrain`)).body.state, 'alive')
  await waitFor(isWarm)
  await other.operator('POST', `${path}/drain`)
  assert.equal((await other.delete(`~/sandboxes/${kept}`)).status, 200)
  await waitFor(async () => (await other.operator('DELETE', path)).status === 200)
  assert.equal(await nodeIn(other, drained.nodeId), undefined)
  assert.equal((await other.operator('DELETE', path)).body.code, 'node.NOT_FOUND')
  assert.equal((await other.operator('POST', `${path}/drain`)).body.code, 'node.NOT_FOUND')

  const { body: log } = await other.operator('GET', '/api/operator/audit-log')
  const done = log.entries.filter(({ outcome }: { outcome: string }) => outcome === 'done')
  for (const operation of ['drainNode', 'undrainNode', 'removeNode'])
    assert.ok(
      done.some((entry: { operation: string }) => entry.operation === operation),
      operation,
    )

  // The removed process still answers calls, but places no sandboxes on itself.
  await waitFor(async () => (await machines()).length === 0)
  const placed = await make(drained)
  assert.equal(await placedOn(other, placed), other.nodeId)
})

test('when every node is drained a create answers 503 with the reason', async () => {
  const only = await startPaperNode(await NodeDatabase.start(), { places: 10 })
  await only.operator('POST', `${nodes}/${only.nodeId}/drain`)
  const { status, body } = await only.post('~/sandboxes', { shape: 'small' })
  assert.deepEqual([status, body.code], [503, 'machine.NO_CAPACITY'])
  assert.match(body.message, /being drained/)
})

test('a lost node is removed with its machines, and its sandboxes can still be deleted', async () => {
  const database = await NodeDatabase.start()
  const lost = await startPaperNode(database, { places: 10 })
  const other = await startPaperNode(database, { places: 10 })
  const id = await make(lost)
  await lost.service.close()
  await database.backdate(lost.nodeId, '1 hour')
  await waitFor(async () => (await nodeIn(other, lost.nodeId)).state === 'lost')
  assert.equal((await other.operator('DELETE', `${nodes}/${lost.nodeId}`)).status, 200)
  const { body } = await other.get(`~/sandboxes/${id}`)
  assert.equal(body.sandbox.status, 'ERROR')
  assert.match(body.sandbox.reason, /was lost at/)
  assert.equal((await other.delete(`~/sandboxes/${id}`)).status, 200)
  assert.equal((await other.get(`~/sandboxes/${id}`)).status, 404)
})
