import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assistant, madeServer, succeed } from '../../packages/server/src/testing/assistant.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { NodeDatabase, nodeIdIn } from '../support/nodes.ts'
import { startPaperNode } from '../support/paper-nodes.ts'

const database = await NodeDatabase.start()
const front = await startPaperNode(database, { places: 0 })
const { service: node } = await startMachineService({ env: database.env })
const nodeId = await nodeIdIn(node.folder)

const sandboxOf = async (serverId: string) =>
  database.db
    .selectFrom('mcp_servers')
    .innerJoin('sandboxes', 'sandboxes.id', 'current_sandbox_id')
    .select(['sandboxes.id', 'sandboxes.node_id', 'sandboxes.status'])
    .where('mcp_servers.id', '=', serverId)
    .executeTakeFirst()

async function runs(serverId: string): Promise<void> {
  const client = await assistant(front, serverId)
  const { structuredContent } = await succeed(client, 'shell', { command: 'echo $((6 * 7))' })
  assert.equal(structuredContent['stdout'], '42\n')
}

test('a tool call through a process without machines creates its sandbox on a node', async () => {
  const server = await madeServer(front)
  await runs(server.id)
  assert.equal((await sandboxOf(server.id))?.node_id, nodeId)
})

test('an automatically created sandbox is created on a node, even if the process that was called has no machines', async () => {
  const server = await madeServer(front, { sandboxAutoCreation: true })
  await waitFor(async () => (await sandboxOf(server.id))?.status === 'RUNNING')
  assert.equal((await sandboxOf(server.id))?.node_id, nodeId)
})

test('an MCP server whose sandbox was lost with its node gets another one', async () => {
  const server = await madeServer(front)
  const lost = await startPaperNode(database, { places: 10 })
  const { body } = await lost.post('~/sandboxes', { shape: 'small' })
  await waitFor(async () => (await lost.get(`~/sandboxes/${body.id}/status`)).body.status === 'RUNNING')
  await database.db
    .updateTable('mcp_servers')
    .set({ current_sandbox_id: body.id, sandbox_made: true })
    .where('id', '=', server.id)
    .execute()
  await lost.service.close()
  await database.backdate(lost.nodeId, '1 hour')
  await waitFor(async () => (await sandboxOf(server.id))?.status === 'ERROR')
  await runs(server.id)
  assert.notEqual((await sandboxOf(server.id))?.id, body.id)
  assert.equal((await front.get(`~/sandboxes/${body.id}`)).status, 404)
})
