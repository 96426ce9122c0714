import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assistant, madeServer } from '../packages/server/src/testing/assistant.ts'
import { answerTo, McpSession } from '../packages/server/src/testing/mcp-session.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'

test('servers, their sandboxes, sessions and settings survive a restart of the service', async () => {
  const engines = paperEngines()
  const env = { SANDGLASS_DATA: await temporaryFolder() }
  const start = () => startTestService(env, async () => engines)
  const sandboxOf = async (service: TestService, id: string) => {
    const { body } = await service.get('~/mcp-servers')
    return body.find((server: { id: string }) => server.id === id).currentSandboxId
  }

  const before = await start()
  const shape = { sandboxShape: 'linux-desktop', sandboxAutoCreation: true }
  const ahead = await madeServer(before, shape)
  await waitFor(async () => (await sandboxOf(before, ahead.id)) !== null)
  const sandbox = await sandboxOf(before, ahead.id)
  const session = await McpSession.begin(before, ahead.id)
  const wanting = await madeServer(before, { ...shape, sandboxAutoCreation: false })
  await before.service.close()

  const between = await startTestService({ ...env, SANDGLASS_MACHINES: 'none' })
  await between.call('PATCH', `~/mcp-servers/${wanting.id}`, { body: { sandboxAutoCreation: true } })
  await between.service.close()

  const after = await start()
  assert.equal(await sandboxOf(after, ahead.id), sandbox)
  const { result } = await answerTo(1, await session.request(after, 1, 'tools/list'))
  assert.ok(result.tools.length > 0)
  await waitFor(async () => (await sandboxOf(after, wanting.id)) !== null)
})

test('listening clients do not delay a service that stops', async () => {
  const service = await startTestService()
  const server = await madeServer(service, { sandboxShape: 'linux-desktop' })
  for (const mode of ['auto', 'legacy'] as const)
    await assistant(service, server.id, { mode, onToolsChanged: () => {} })
  await service.service.close()
})
