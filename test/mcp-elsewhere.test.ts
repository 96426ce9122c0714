import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assistant, madeServer, succeed, textOf, use } from '../packages/server/src/testing/assistant.ts'
import { answerTo, eventsOf, McpSession } from '../packages/server/src/testing/mcp-session.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()

const { service: here } = await startMachineService({ env })
const elsewhere = await startTestService(env)
const server = await madeServer(here)
await succeed(await assistant(here, server.id), 'shell', { command: 'true' })

const isThere = async (file: string) => {
  const client = await session.call(elsewhere, 900, `test -e ${file}; echo $?`)
  const { result } = await answerTo(900, client)
  return result.structuredContent.stdout === '0\n'
}
const session = await McpSession.begin(here, server.id)

test('a session that was begun with one process goes on with another, and ends for both', async () => {
  const own = await McpSession.begin(here, server.id)
  for (const service of [elsewhere, here]) {
    const { result } = await answerTo(1, await own.request(service, 1, 'tools/list'))
    assert.ok(result.tools.length > 0)
  }
  assert.equal((await own.fetch(elsewhere, 'DELETE')).status, 200)
  for (const service of [elsewhere, here])
    assert.equal((await own.request(service, 2, 'tools/list')).status, 404)
})

for (const mode of ['auto', 'legacy'] as const)
  test(`a process that has not the machine has the tool called by the one that has (${mode})`, async () => {
    const client = await assistant(elsewhere, server.id, { mode })
    assert.equal(
      (await succeed(client, 'shell', { command: 'echo $((6 * 7))' })).structuredContent['stdout'],
      '42\n',
    )
    const picture = await succeed(client, 'computer-use', { action: 'screenShot' })
    assert.equal(picture.content[0]?.type, 'image')
    const refused = await use(client, 'computer-use', { action: 'click', coordinate: [5000, 5] })
    assert.match(textOf(refused), /outside the picture/)
  })

test('a client that lost the connection goes on with another process where it was', async () => {
  const lost = new AbortController()
  const response = await session.call(here, 2, 'sleep 2; echo late; touch late', lost.signal)
  const first = await eventsOf(response).next()
  assert.ok(first.value?.id)
  lost.abort()
  const headers = { 'last-event-id': first.value.id }
  const { result } = await answerTo(2, await session.fetch(elsewhere, 'GET', undefined, headers))
  assert.equal(result.structuredContent.stdout, 'late\n')
  const again = await answerTo(2, await session.fetch(here, 'GET', undefined, headers))
  assert.deepEqual(again.result, result, 'also when the answer was complete already')
})

test('a cancellation that reaches another process stops the call', async () => {
  const response = await session.call(elsewhere, 3, 'touch begun; sleep 80; touch ended')
  const events = eventsOf(response)
  const over = (async () => {
    for await (const { message } of events)
      assert.notEqual(message?.id, 3, 'a call that was given up has no answer')
  })()
  const sandbox = (await here.get('~/mcp-servers')).body[0].currentSandboxId
  await waitFor(async () => (await here.get(`~/sandboxes/${sandbox}/files/info?path=begun`)).status === 200)
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }
  assert.equal((await session.fetch(here, 'POST', cancelled)).status, 202)
  await over
  assert.equal(await isThere('ended'), false)
})

test('a client hears from one process that the tools were changed by another, also what it missed', async () => {
  const listening = await session.fetch(elsewhere, 'GET')
  const events = eventsOf(listening)
  const { value: primed } = await events.next()
  await here.call('PATCH', `~/mcp-servers/${server.id}`, { body: { sandboxExposeRestartTool: true } })
  const { value: told } = await events.next()
  assert.equal(told?.message.method, 'notifications/tools/list_changed')
  await events.return(undefined)
  const late = await session.fetch(here, 'GET', undefined, { 'last-event-id': primed?.id ?? '' })
  for await (const { message } of eventsOf(late)) {
    if (!message) continue
    assert.equal(message.method, 'notifications/tools/list_changed')
    break
  }
})

test('a restart asked of another process is done where the machine is', async () => {
  const client = await assistant(elsewhere, server.id)
  await succeed(client, 'shell', { command: 'touch kept' })
  await succeed(client, 'restart-sandbox')
  assert.equal(await isThere('kept'), true)
})

test('a sandbox whose process is gone is a tool error, and no 5xx', async () => {
  const client = await assistant(elsewhere, server.id)
  await here.service.close()
  const result = await use(client, 'shell', { command: 'true' })
  assert.ok(result.isError)
})
