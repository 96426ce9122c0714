import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Answer, TestService } from '../../packages/server/src/testing/test-service.ts'
import { NodeDatabase } from '../support/nodes.ts'
import { startPaperNode } from '../support/paper-nodes.ts'

const create = (service: TestService, headers: Record<string, string> = {}) =>
  service.post('~/sandboxes', { shape: 'small' }, { headers })

/** Returns the node that a sandbox was placed on. */
async function nodeOf({ db }: NodeDatabase, { status, text, body }: Answer): Promise<string | null> {
  assert.equal(status, 200, text)
  const row = await db
    .selectFrom('sandboxes')
    .select('node_id')
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  return row.node_id
}

const isRunning = (service: TestService, { body }: Answer) =>
  waitFor(async () => (await service.get(`~/sandboxes/${body.id}/status`)).body.status === 'RUNNING')

test('a process without machines sends a create to the node with the most capacity', async () => {
  const database = await NodeDatabase.start()
  const front = await startPaperNode(database, { places: 0 })
  await startPaperNode(database, { places: 3 })
  const large = await startPaperNode(database, { places: 10 })
  const { body: nodes } = await front.operator('GET', '/api/operator/nodes')
  const published = new Map(
    nodes.map(({ id, capacity }: { id: string; capacity: unknown }) => [id, capacity]),
  )
  assert.deepEqual(published.get(front.nodeId), [])
  assert.deepEqual(published.get(large.nodeId), [{ shapeName: 'small', engine: 'local', free: 10, warm: 0 }])
  const made = await create(front)
  assert.equal(await nodeOf(database, made), large.nodeId)
  await isRunning(front, made)
  assert.equal((await front.delete(`~/sandboxes/${made.body.id}`)).status, 200)
  const { body: log } = await front.get(`~/audit-log?target=${made.body.id}&operation=createSandbox`)
  assert.equal(log.entries.length, 1)
})

test('a process without machines answers a create with a 503 if there is no other node', async () => {
  const front = await startPaperNode(await NodeDatabase.start(), { places: 0 })
  const { status, body } = await create(front)
  assert.deepEqual([status, body.code], [503, 'machine.NOT_READY'])
})

test('a create that does not fit on a node goes to another, and a 503 has the reason when all are full', async () => {
  const database = await NodeDatabase.start()
  const a = await startPaperNode(database, { places: 1 })
  const b = await startPaperNode(database, { places: 1 })
  const key = { 'idempotency-key': 'first' }
  const first = await create(a, key)
  assert.equal(await nodeOf(database, first), a.nodeId)
  await isRunning(a, first)
  const second = await create(a)
  assert.equal(await nodeOf(database, second), b.nodeId)
  await isRunning(a, second)
  const { status, headers, body } = await create(a)
  assert.deepEqual([status, body.code], [503, 'machine.NO_CAPACITY'])
  assert.match(body.message, /All 1 places are taken/)
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal((await a.get('~/sandboxes')).body.length, 2)
  const repeated = await create(a, key)
  assert.deepEqual([repeated.status, repeated.body.id], [200, first.body.id])
})

for (const through of ['a node', 'a process without machines'])
  test(`of three concurrent creates through ${through}, only two get the last two machines`, async () => {
    const database = await NodeDatabase.start()
    const a = await startPaperNode(database, { places: 1 })
    const b = await startPaperNode(database, { places: 1 })
    const service = through === 'a node' ? a : await startPaperNode(database, { places: 0 })
    const answers = await Promise.all([create(service), create(service), create(service)])
    const made = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    const nodes = await Promise.all(made.map(answer => nodeOf(database, answer)))
    assert.deepEqual(nodes.toSorted(), [a.nodeId, b.nodeId].toSorted())
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      [[503, 'machine.NO_CAPACITY']],
    )
    for (const answer of made) await isRunning(service, answer)
  })

test('a warm machine on another node is preferred to creating one here', async () => {
  const database = await NodeDatabase.start()
  const cold = await startPaperNode(database, { places: 10 })
  const warm = await startPaperNode(database, { places: 10, warm: 1 })
  const isWarm = async () => {
    const { body: nodes } = await cold.operator('GET', '/api/operator/nodes')
    return nodes.some(({ id, capacity }: { id: string; capacity: { warm: number }[] }) => {
      return id === warm.nodeId && capacity[0]?.warm === 1
    })
  }
  await waitFor(isWarm)
  await database.waitForHeartbeats(cold.nodeId, 2)
  const made = await create(cold)
  assert.equal(await nodeOf(database, made), warm.nodeId)
  assert.equal(made.body.status, 'RUNNING')
  await waitFor(isWarm)
})

test('a create goes to the next node if the chosen one does not answer', async () => {
  const database = await NodeDatabase.start()
  const front = await startPaperNode(database, { places: 0 })
  const left = await startPaperNode(database, { places: 1 })
  const gone = await startPaperNode(database, { places: 10 })
  const { capacity } = await database.db
    .selectFrom('nodes')
    .select('capacity')
    .where('id', '=', gone.nodeId)
    .executeTakeFirstOrThrow()
  await gone.service.close()
  // A process that is killed leaves its capacity published, so publish it again.
  await database.db
    .updateTable('nodes')
    .set({ capacity: JSON.stringify(capacity) })
    .where('id', '=', gone.nodeId)
    .execute()
  assert.equal(await nodeOf(database, await create(front)), left.nodeId)
})
