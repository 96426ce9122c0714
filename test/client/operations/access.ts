import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function mappings({ client, sandboxId }: World): Promise<void> {
  const targetEndpoint = '127.0.0.1:3000'
  const { domain } = await client.createHttpMapping({ sandboxId, body: { targetEndpoint } })
  assert.equal((await client.getHttpMapping({ sandboxId, targetEndpoint })).domain, domain)
  assert.equal((await client.listHttpMappings({ sandboxId })).length, 1)
  await client.deleteHttpMapping({ sandboxId, targetEndpoint })
  assert.deepEqual(await client.listHttpMappings({ sandboxId }), [])
}

export async function live({ client, sandboxId }: World): Promise<void> {
  const token = await client.createLiveToken({ sandboxId, body: { scope: ['view'] } })
  assert.ok(token.endUserToken)
  assert.deepEqual(await client.listSandboxViewers({ sandboxId }), [])
  await client.revokeLiveTokens({ sandboxId })
  const { code = '' } = await client.createLiveInvitation({ sandboxId })
  assert.ok((await client.redeemLiveInvitation({ body: { code } })).gatewayAddresses)
  const { id: invitationId } = await client.createLiveInvitation({ sandboxId })
  assert.ok((await client.listLiveInvitations({ sandboxId })).some(({ id }) => id === invitationId))
  await client.revokeLiveInvitation({ sandboxId, invitationId })
  assert.ok(!(await client.listLiveInvitations({ sandboxId })).some(({ id }) => id === invitationId))
}

export async function mcpServers({ client, sandboxId }: World): Promise<void> {
  const { id: mcpServerId } = await client.createMcpServer({ body: { name: 'mine', sandboxShape: 'small' } })
  const renamed = await client.updateMcpServer({ mcpServerId, body: { name: 'ours' } })
  assert.equal(renamed.name, 'ours')
  await client.setMcpServerToSandbox({ mcpServerId, body: { sandboxId } })
  const listed = await client.listMcpServers()
  assert.equal(listed.find(({ id }) => id === mcpServerId)?.currentSandboxId, sandboxId)
  assert.equal((await client.getDefaultMcpServer()).defaultMcpServer, true)
  assert.deepEqual(await client.listMcpServerClients({ mcpServerId }), [])
  assert.deepEqual(await client.listMcpServerCalls({ mcpServerId }), [])
  await client.deleteMcpServer({ mcpServerId })
}

export async function applications({ client, sandboxId }: World): Promise<void> {
  assert.deepEqual(
    (await client.listApplications()).map(({ id }) => id),
    ['hello'],
  )
  const { operationId } = await client.installSandboxApplication({ sandboxId, appId: 'hello' })
  // Whether its packages can be fetched depends on the network.
  const { status } = await client.getSandboxApplicationOperation({ sandboxId, operationId })
  assert.ok(status)
  const [installed] = await client.listSandboxApplications({ sandboxId })
  assert.deepEqual([installed?.name, installed?.operationId], ['Hello', operationId])
}
