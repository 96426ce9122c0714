import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { McpCall, McpClient } from '@sandglass/protocol'
import { z } from 'zod'
import { assistant, madeServer, use } from '../../../testing/assistant.ts'
import { McpSession } from '../../../testing/mcp-session.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const { service } = await startMachineService()

async function clientsOf(id: string): Promise<McpClient[]> {
  const { status, body, text } = await service.get(`~/mcp-servers/${id}/clients`)
  assert.equal(status, 200, text)
  return z.array(McpClient).parse(body)
}

async function callsOf(id: string): Promise<McpCall[]> {
  const { status, body, text } = await service.get(`~/mcp-servers/${id}/calls`)
  assert.equal(status, 200, text)
  return z.array(McpCall).parse(body)
}

test('the clients of a server and their calls are listed, with sessions and without', async () => {
  const { id } = await madeServer(service)
  assert.deepEqual([await clientsOf(id), await callsOf(id)], [[], []])
  for (const options of [{}, { mode: 'legacy' as const }]) {
    const client = await assistant(service, id, options)
    await client.listTools()
    await use(client, 'shell', { command: 'true' })
    await use(client, 'files', { action: 'view', path: '/absent' })
  }
  await waitFor(async () => (await callsOf(id)).length === 4)
  const calls = await callsOf(id)
  const { currentSandboxId } = (await service.get('~/mcp-servers')).body.find(
    (server: { id: string }) => server.id === id,
  )
  assert.deepEqual(
    calls.map(({ tool, outcome, sandboxId }) => [tool, outcome, sandboxId]),
    [0, 1].flatMap(() => [
      ['files', 'failed', currentSandboxId],
      ['shell', 'done', currentSandboxId],
    ]),
  )
  assert.ok(calls.every(({ durationMs, at }) => durationMs >= 0 && Date.parse(at) <= Date.now() + 60_000))

  const clients = await clientsOf(id)
  const { body: keys } = await service.get('~/api-keys')
  const [owner] = keys
  assert.deepEqual(
    clients.map(({ holder }) => holder),
    [0, 1].map(() => ({ kind: 'apiKey', id: owner.id })),
  )
  assert.equal(new Set(clients.map(({ protocolVersion }) => protocolVersion)).size, 2)
  assert.ok(clients.every(({ name, version, lastCallAt }) => name && version && lastCallAt))
  for (const { client } of calls)
    assert.ok(clients.some(one => one.id === client?.id && one.name === client.name))
})

test('a client is gone when it ends its session, and its calls stay with its name', async () => {
  const { id } = await madeServer(service)
  const session = await McpSession.begin(service, id)
  await waitFor(async () => (await clientsOf(id)).length === 1)
  const [client] = await clientsOf(id)
  assert.deepEqual([client?.name, client?.version, client?.lastCallAt], ['raw', '1', null])
  assert.notEqual(client?.id, session.id)
  const called = await session.fetch(service, 'POST', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'shell', arguments: { command: 'true' } },
  })
  await called.text()
  await waitFor(async () => (await callsOf(id)).length === 1)
  assert.equal((await session.fetch(service, 'DELETE')).status, 200)
  await waitFor(async () => (await clientsOf(id)).length === 0)
  const [call] = await callsOf(id)
  assert.deepEqual(call?.client, { id: null, name: 'raw', version: '1' })
})

test('a server keeps a limited number of clients and calls, whatever they are called', async () => {
  const { id } = await madeServer(service)
  const client = await assistant(service, id)
  for (let i = 0; i < 205; i++) await use(client, 'files', {})
  await waitFor(async () => (await clientsOf(id))[0]?.lastCallAt !== null)
  assert.ok((await callsOf(id)).length <= 200)
  for (let i = 0; i < 105; i++) await McpSession.begin(service, id)
  await waitFor(async () => (await clientsOf(id)).length === 100)
})

test('viewers see them, and for another organization the server does not exist', async () => {
  const { id } = await madeServer(service)
  const viewer = await service.keyOf('viewer')
  const other = await service.otherOrganization()
  for (const list of ['clients', 'calls']) {
    assert.equal((await service.get(`~/mcp-servers/${id}/${list}`, { key: viewer })).status, 200)
    const foreign = `/api/orgs/${other.orgId}/mcp-servers/${id}/${list}`
    const refused = await service.get(foreign, { key: other.apiKey })
    assert.deepEqual([refused.status, refused.body.code], [404, 'mcpServer.NOT_FOUND'])
  }
})
