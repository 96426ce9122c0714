import assert from 'node:assert/strict'
import { test } from 'node:test'
import { McpServer } from '@sandglass/protocol'
import { madeServer } from '../../testing/assistant.ts'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()
const shape = 'linux-desktop'

test('an empty sandboxShape, which published clients send by default, is the default shape', async () => {
  const made = await madeServer(service, { sandboxShape: '' })
  const byDefault = (await service.get('~/mcp-servers/default')).body
  assert.equal(made.policy.sandboxShape, byDefault.policy.sandboxShape)
  const missing = await service.post('~/mcp-servers', { name: 'x' })
  assert.deepEqual([missing.status, missing.body.code], [400, 'request.INVALID'])
  await service.remove(`~/mcp-servers/${made.id}`)
})

test('a new server is listed and counted, and its deletion has an empty response', async () => {
  const before = (await service.get('~/stats')).body.mcpServers
  const made = await madeServer(service, {
    sandboxShape: shape,
    sandboxMaxIdleTimeSeconds: 60,
    tools: { shell: false },
  })
  assert.equal(made.defaultMcpServer, false)
  assert.equal(made.currentSandboxId, null)
  assert.deepEqual(made.policy, {
    sandboxShape: shape,
    sandboxMaxLifetimeSeconds: 3600,
    sandboxMaxIdleTimeSeconds: 60,
    sandboxAutoCreation: false,
    sandboxExposeRecreateTool: false,
    sandboxExposeRestartTool: false,
    sandboxExposeDeleteTool: false,
  })
  assert.equal(made.tools.shell, false)
  assert.equal(made.tools.files, true)
  const listed: McpServer[] = (await service.get('~/mcp-servers')).body
  assert.deepEqual(
    listed.find(({ id }) => id === made.id),
    made,
  )
  assert.equal((await service.get('~/stats')).body.mcpServers, before + 1)
  const deleted = await service.delete(`~/mcp-servers/${made.id}`)
  assert.deepEqual([deleted.status, deleted.text, deleted.headers.get('content-length')], [200, '', '0'])
  assert.equal((await service.get('~/stats')).body.mcpServers, before)
  const again = await service.delete(`~/mcp-servers/${made.id}`)
  assert.deepEqual([again.status, again.body.code], [404, 'mcpServer.NOT_FOUND'])
})

test('the default server is created on first use, and only once for concurrent requests', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.get('~/mcp-servers/default')))
  const ids = answers.map(({ status, body, text }) => {
    assert.equal(status, 200, text)
    assert.equal(McpServer.parse(body).defaultMcpServer, true)
    return body.id
  })
  assert.equal(new Set(ids).size, 1)
  const defaults = (await service.get('~/mcp-servers')).body.filter(
    ({ defaultMcpServer }: McpServer) => defaultMcpServer,
  )
  assert.equal(defaults.length, 1)
})

test('an invalid new server is refused with the reason', async () => {
  const refusals = [
    [{ name: 'x' }, 400, 'request.INVALID'],
    [{ name: 'x', sandboxShape: 'toaster' }, 400, 'shape.NOT_FOUND'],
    [{ name: 'x', sandboxShape: shape, projectId: 'absent' }, 404, 'project.NOT_FOUND'],
    [{ name: 'x', sandboxShape: shape, sandboxMaxIdleTimeSeconds: 0 }, 400, 'request.INVALID'],
    [{ name: 'x', sandboxShape: shape, tools: { shell: 'no' } }, 400, 'request.INVALID'],
  ] as const
  for (const [body, status, code] of refusals) {
    const answer = await service.post('~/mcp-servers', body)
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body))
  }
})

test('an update changes the fields that it names and no others', async () => {
  const made = await madeServer(service, { sandboxShape: shape, tools: { shell: false } })
  const { body } = await service.call('PATCH', `~/mcp-servers/${made.id}`, {
    body: { sandboxExposeDeleteTool: true, tools: { files: false }, screenLongestSide: 800 },
  })
  assert.deepEqual(body, {
    ...made,
    policy: { ...made.policy, sandboxExposeDeleteTool: true },
    tools: { ...made.tools, files: false },
    screenLongestSide: 800,
  })
  const refused = await service.call('PATCH', `~/mcp-servers/${made.id}`, {
    body: { sandboxShape: 'toaster' },
  })
  assert.equal(refused.body.code, 'shape.NOT_FOUND')
})

test('a server can be set to an existing sandbox and to none', async () => {
  const made = await madeServer(service, { sandboxShape: shape })
  const set = (body?: object) => service.post(`~/mcp-servers/${made.id}/sandbox`, body)
  assert.deepEqual((await set({ sandboxId: 'absent' })).body.code, 'sandbox.NOT_FOUND')
  const empty = await set()
  assert.deepEqual([empty.status, empty.text], [200, ''])
})

test('a server of another organization is not found, and a project with servers cannot be deleted', async () => {
  const other = await service.otherOrganization()
  const { body: project } = await service.post('~/projects', { name: 'With a server' })
  const made = await madeServer(service, { sandboxShape: shape, projectId: project.id })
  assert.equal((await service.delete(`~/projects/${project.id}`)).body.code, 'project.NOT_EMPTY')
  const theirs = `/api/orgs/${other.orgId}/mcp-servers`
  assert.equal((await service.delete(`${theirs}/${made.id}`, { key: other.apiKey })).status, 404)
  assert.equal((await service.post(`${theirs}/${made.id}/sandbox`, {}, { key: other.apiKey })).status, 404)
  assert.deepEqual((await service.get(theirs, { key: other.apiKey })).body, [])
})
