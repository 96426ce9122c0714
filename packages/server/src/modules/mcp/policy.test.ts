import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { touchById } from '../../records/sandboxes.ts'
import { assistant, madeServer, succeed, textOf, use } from '../../testing/assistant.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()

const look = { action: 'screenShot' }

async function sandboxOf(serverId: string): Promise<string | null> {
  const { body } = await service.get('~/mcp-servers')
  return body.find(({ id }: { id: string }) => id === serverId).currentSandboxId
}

async function exists(sandboxId: string | null): Promise<boolean> {
  const row = await service.pool.db
    .selectFrom('sandboxes')
    .select('id')
    .where('id', '=', sandboxId ?? '')
    .executeTakeFirst()
  return row !== undefined
}

test('a sandbox is created when a tool needs one, with the shape, project and timeouts of the policy', async () => {
  const { body: project } = await service.post('~/projects', { name: 'Assistants' })
  const times = { sandboxMaxLifetimeSeconds: 1200, sandboxMaxIdleTimeSeconds: 300 }
  const server = await madeServer(service, { ...times, projectId: project.id })
  const client = await assistant(service, server.id)
  await client.listTools()
  assert.equal(await sandboxOf(server.id), null)
  await Promise.all([1, 2, 3].map(() => succeed(client, 'computer-use', look)))
  const id = await sandboxOf(server.id)
  const row = await service.pool.db
    .selectFrom('sandboxes')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([row.shape_name, row.project_id, row.idle_seconds], ['small', project.id, 300])
  assert.equal(row.expires_at.getTime() - row.created_at.getTime(), 1_200_000)
  assert.equal((await service.get('~/stats')).body.sandboxes, 1)
  await service.remove(`~/mcp-servers/${server.id}`)
  assert.equal(await exists(id), false, 'a sandbox that the server created is deleted with it')
})

test('with sandboxAutoCreation a sandbox is created in advance, and again after it was deleted', async () => {
  const server = await madeServer(service, { sandboxAutoCreation: true })
  await waitFor(async () => (await sandboxOf(server.id)) !== null)
  const first = await sandboxOf(server.id)
  await service.remove(`~/sandboxes/${first}`)
  await waitFor(async () => (await sandboxOf(server.id)) !== null)
  assert.notEqual(await sandboxOf(server.id), first)
  await service.remove(`~/mcp-servers/${server.id}`)
})

test('sandboxMaxLifetimeSeconds ends a sandbox even while it is in use, and the next call gets a new one', async () => {
  const server = await madeServer(service, { sandboxMaxLifetimeSeconds: 600 })
  const client = await assistant(service, server.id)
  await succeed(client, 'shell', { command: 'touch mark' })
  const first = await sandboxOf(server.id)
  const running = use(client, 'shell', { command: 'touch begun; sleep 80', timeoutSeconds: 90 })
  await waitFor(async () => (await service.get(`~/sandboxes/${first}/files/info?path=begun`)).status === 200)
  const now = { expires_at: new Date() }
  await service.pool.db.updateTable('sandboxes').set(now).where('id', '=', first).execute()
  const cut = await running
  assert.ok(cut.isError)
  assert.match(textOf(cut), /deleted while the call was running.*Call again/)
  assert.equal(await exists(first), false)
  const { structuredContent } = await succeed(client, 'shell', { command: 'ls mark' })
  assert.notEqual(structuredContent['exitCode'], 0, 'it is a new sandbox')
  await service.remove(`~/mcp-servers/${server.id}`)
})

test('sandboxMaxIdleTimeSeconds ends an idle sandbox, and a long call keeps it from being idle', async () => {
  const server = await madeServer(service, { sandboxMaxIdleTimeSeconds: 600 })
  const client = await assistant(service, server.id)
  await succeed(client, 'computer-use', look)
  const id = await sandboxOf(server.id)
  const { db } = service.pool
  const seconds = 40
  const set = (row: { idle_seconds?: number; idle_at: Date }) =>
    db.updateTable('sandboxes').set(row).where('id', '=', id).execute()
  const idleAt = async () =>
    Number(
      (await db.selectFrom('sandboxes').select('idle_at').where('id', '=', id).executeTakeFirst())?.idle_at,
    )
  const after = (ms: number) => new Date(Date.now() + ms)
  await set({ idle_seconds: seconds, idle_at: after(600_000) })
  const file = (name: string) => `~/sandboxes/${id}/files/content?path=${name}`
  const command = 'touch begun; until [ -e done ]; do sleep 0.1; done'
  const running = succeed(client, 'shell', { command, timeoutSeconds: 120 })
  await waitFor(async () => (await service.get(file('begun'))).status === 200)
  const ends = after(seconds * 500)
  await set({ idle_at: ends })
  await waitFor(async () => (await idleAt()) > ends.getTime())
  await service.call('PUT', file('done'), { headers: { 'content-type': 'text/plain' }, body: ' ' })
  await running
  const later = after(seconds * 500)
  await set({ idle_at: later })
  await touchById(db, id ?? '')
  assert.ok((await idleAt()) > later.getTime(), "a viewer's input is use")
  // The command has worked a moment ago, which counts once more.
  await set({ idle_seconds: 2, idle_at: after(0) })
  await waitFor(async () => !(await exists(id)))
  assert.equal(await sandboxOf(server.id), null)
  await service.remove(`~/mcp-servers/${server.id}`)
})

test('a sandbox that ended because it was idle is not created again in advance', async () => {
  const server = await madeServer(service, { sandboxAutoCreation: true, sandboxMaxIdleTimeSeconds: 2 })
  // The server wants a sandbox until it has one, and wants none after that one has ended.
  await waitFor(async () => {
    const { sandbox_wanted: wanted, current_sandbox_id: current } = await service.pool.db
      .selectFrom('mcp_servers')
      .select(['sandbox_wanted', 'current_sandbox_id'])
      .where('id', '=', server.id)
      .executeTakeFirstOrThrow()
    return !wanted && current === null
  })
  await service.remove(`~/mcp-servers/${server.id}`)
})

test('recreate, restart and delete are tools only if they are exposed, and they work', async () => {
  const server = await madeServer(service)
  const client = await assistant(service, server.id)
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const ofSandboxes = ['recreate-sandbox', 'restart-sandbox', 'delete-sandbox']
  assert.deepEqual(
    (await names()).filter(name => ofSandboxes.includes(name)),
    [],
  )
  await assert.rejects(use(client, 'delete-sandbox'), /There is no tool delete-sandbox/)

  const exposed = {
    sandboxExposeRecreateTool: true,
    sandboxExposeRestartTool: true,
    sandboxExposeDeleteTool: true,
  }
  await service.call('PATCH', `~/mcp-servers/${server.id}`, { body: exposed })
  assert.deepEqual(
    (await names()).filter(name => ofSandboxes.includes(name)),
    ofSandboxes,
  )

  await succeed(client, 'shell', { command: 'echo kept > note; (sleep 1000 >/dev/null 2>&1 &)' })
  const first = await sandboxOf(server.id)
  await succeed(client, 'restart-sandbox')
  assert.equal(await sandboxOf(server.id), first)
  const after = await succeed(client, 'shell', { command: 'cat note; pgrep -x sleep' })
  assert.equal(after.structuredContent['stdout'], 'kept\n')

  await succeed(client, 'recreate-sandbox')
  const second = await sandboxOf(server.id)
  assert.notEqual(second, first)
  assert.equal(await exists(first), false)
  assert.notEqual((await use(client, 'shell', { command: 'cat note' })).structuredContent['exitCode'], 0)

  assert.match(textOf(await succeed(client, 'delete-sandbox')), /was deleted/)
  assert.equal(await exists(second), false)
  assert.match(textOf(await succeed(client, 'delete-sandbox')), /no computer/)
  await service.remove(`~/mcp-servers/${server.id}`)
})

test('a server that was set to a sandbox uses it but does not own it, and creates another after it was deleted', async () => {
  const path = await runningSandbox(service)
  const sandboxId = path.split('/').at(-1) ?? ''
  const server = await madeServer(service)
  await service.post(`~/mcp-servers/${server.id}/sandbox`, { sandboxId })
  const client = await assistant(service, server.id)
  await succeed(client, 'files', { action: 'create', path: 'mine', content: 'yes\n' })
  assert.equal(await sandboxOf(server.id), sandboxId)
  await service.remove(path)
  assert.equal(await sandboxOf(server.id), null)
  await succeed(client, 'computer-use', look)
  const made = await sandboxOf(server.id)
  const kept = (await runningSandbox(service)).split('/').at(-1) ?? ''
  await service.post(`~/mcp-servers/${server.id}/sandbox`, { sandboxId: kept })
  await service.remove(`~/mcp-servers/${server.id}`)
  assert.equal(await exists(kept), true)
  for (const id of [kept, made]) await service.remove(`~/sandboxes/${id}`)
})

test('deleting the sandbox or the server ends a running call with a clear error', async () => {
  const server = await madeServer(service)
  const client = await assistant(service, server.id)
  const endsWhen = async (end: (sandboxId: string | null) => Promise<unknown>) => {
    await succeed(client, 'shell', { command: 'true' })
    const id = await sandboxOf(server.id)
    const running = use(client, 'shell', { command: 'touch begun; sleep 80', timeoutSeconds: 90 })
    const begun = `~/sandboxes/${id}/files/info?path=begun`
    await waitFor(async () => (await service.get(begun)).status === 200)
    await end(id)
    return running
  }
  const withoutSandbox = await endsWhen(id => service.delete(`~/sandboxes/${id}`))
  assert.ok(withoutSandbox.isError)
  assert.match(textOf(withoutSandbox), /sandbox was deleted while the call was running/)
  const withoutServer = await endsWhen(() => service.delete(`~/mcp-servers/${server.id}`))
  assert.ok(withoutServer.isError)
  assert.match(textOf(withoutServer), /MCP server was deleted/)
})
