import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { McpServer } from '@sandglass/protocol'
import fc from 'fast-check'
import { z } from 'zod'
import {
  assistant,
  endpointOf,
  madeServer,
  olderAssistant,
  succeed,
  textOf,
  use,
} from '../../testing/assistant.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
let server: McpServer
before(async () => {
  server = await madeServer(service)
})

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

const RpcError = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.object({ code: z.int(), message: z.string() }),
})

/** Sends one raw request without a client library. */
async function raw(method: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(endpointOf(service, server.id), {
    method,
    headers: {
      'x-api-key': service.service.credentials.apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function begun(): Promise<Record<string, string>> {
  const { headers } = await raw('POST', initialize)
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

test('invalid arguments are tool errors that tell the model what to do', async () => {
  const client = await assistant(service, server.id)
  const cases: [object, RegExp][] = [
    [{}, /action: .*Fix them and call again/],
    [{ action: 'dance' }, /action: .*click/],
    [{ action: 'move' }, /move needs coordinate: give \[x, y\]/],
    [{ action: 'click', coordinate: [5] }, /coordinate: must be \[x, y\]/],
    [{ action: 'click', coordinate: [1280, 5] }, /outside the picture.*1280 wide.*x goes from 0 to 1279/],
    [{ action: 'type' }, /type needs text/],
    [{ action: 'keyPress', text: 'ctrl+nonsense' }, /nonsense/],
    [{ action: 'scroll', coordinate: [5, 5] }, /scroll needs scrollDirection/],
    [{ action: 'wait', duration: 600 }, /duration: .*60/],
  ]
  for (const [args, message] of cases) {
    const result = await use(client, 'computer-use', args)
    assert.ok(result.isError, JSON.stringify(args))
    assert.match(textOf(result), message)
  }
  const results = [
    await use(client, 'files', { action: 'view', path: 'absent.txt' }),
    await use(client, 'files', { action: 'replace', path: '/etc/hostname', oldText: 'absent' }),
    await use(client, 'shell', { command: 'true', workingDirectory: '/absent' }),
    await use(client, 'open-url', { url: 'file:///etc/passwd' }),
  ]
  for (const result of results) assert.ok(result.isError, textOf(result))
})

test('an invalid protocol message is a protocol error, and never a 5xx', async () => {
  const session = await begun()
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const modern = { 'mcp-protocol-version': '2026-07-28' }
  const answers = await Promise.all([
    raw('POST', '{broken'),
    raw('POST', ''),
    raw('POST', 'null'),
    raw('POST', { hello: 'there' }, session),
    raw('POST', [], session),
    raw('POST', list),
    raw('POST', list, { 'mcp-session-id': 'absent' }),
    raw('POST', list, { ...session, 'mcp-protocol-version': '1999-01-01' }),
    raw('POST', list, { ...session, accept: 'text/html' }),
    raw('POST', list, modern),
    raw('GET'),
    raw('GET', undefined, { ...session, accept: 'text/html' }),
    raw('GET', undefined, { ...session, 'last-event-id': '3_absent_nowhere' }),
    raw('DELETE'),
  ])
  for (const { status, text } of answers) {
    assert.ok(status >= 400 && status < 500, `${status} ${text}`)
    RpcError.parse(JSON.parse(text))
  }
  for (const method of ['no/such', 'resources/list', 'tools/call']) {
    const { status, text } = await raw(
      'POST',
      { jsonrpc: '2.0', id: 'x', method, params: { name: 'absent' } },
      session,
    )
    assert.equal(status, 200)
    RpcError.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? ''))
  }
  assert.equal((await raw('PUT', '{}')).status, 405)
  assert.equal((await raw('POST', '{}', { 'content-type': 'text/plain' })).status, 415)
})

test('arbitrary messages never cause a 5xx or a hang', async () => {
  const session = await begun()
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const method = fc.constantFrom(
    'initialize',
    'tools/list',
    'tools/call',
    'server/discover',
    'ping',
    'notifications/cancelled',
  )
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record({ name: fc.constantFrom('computer-use', 'absent', 7), arguments: fc.jsonValue() }),
    fc.record({
      _meta: fc.constantFrom(envelope, {}),
      name: fc.constant('files'),
      arguments: fc.jsonValue(),
    }),
  )
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
      method,
      params,
    },
    { requiredKeys: ['method'] },
  )
  const headers = fc.record(
    {
      'mcp-session-id': fc.constantFrom(session['mcp-session-id'] ?? '', 'absent'),
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '2024-11-05', 'x'),
      'mcp-method': method,
      'mcp-name': fc.constantFrom('computer-use', 'files'),
      'last-event-id': fc.constantFrom('0_x_y', 'x'),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(fc.jsonValue(), message, fc.array(message, { maxLength: 3 }))
  await fc.assert(
    fc.asyncProperty(body, headers, async (sent, given) => {
      const { status, text } = await raw('POST', JSON.stringify(sent), given)
      assert.ok(status < 500, `${status} ${text}`)
    }),
    { numRuns: 300 },
  )
})

test('the caller is authorized first: a missing or wrong credential, an insufficient role and another organization are refused', async () => {
  const path = `/api/mcp/${server.id}`
  const post = (key: string | null, headers = {}) => service.post(path, '{broken', { key, headers })
  const missing = await post(null)
  assert.deepEqual([missing.status, missing.body.code], [401, 'auth.MISSING'])
  assert.match(missing.headers.get('www-authenticate') ?? '', /^Bearer/)
  assert.equal((await post('sgk_wrong')).status, 401)
  const viewer = await post(await service.keyOf('viewer'))
  assert.deepEqual([viewer.status, viewer.body.code], [403, 'auth.FORBIDDEN'])
  const { apiKey } = await service.otherOrganization()
  for (const key of [apiKey, service.service.credentials.operatorKey]) {
    const refused = await post(key)
    assert.deepEqual([refused.status, refused.body.code], [404, 'mcpServer.NOT_FOUND'])
  }
  const bearer = { authorization: `Bearer ${service.service.credentials.apiKey}` }
  assert.equal(
    (await post(null, bearer)).status,
    400,
    'an API key is taken as Bearer, and then the body is looked at',
  )
})

test('a trial session uses a server only with a sandbox that it created itself', async () => {
  const { body } = await service.post('~/trial-tokens', {
    name: 'guest',
    expiresInSeconds: 3600,
    sandboxQuota: 1,
    shapeNames: ['small'],
  })
  const own = await madeServer(service)
  const trial = await assistant(service, own.id, { key: body.trialToken })
  await succeed(trial, 'shell', { command: 'true' })
  await succeed(await assistant(service, server.id), 'shell', { command: 'true' })
  const stranger = await assistant(service, server.id, { key: body.trialToken })
  const refused = await use(stranger, 'shell', { command: 'true' })
  assert.ok(refused.isError)
  assert.match(textOf(refused), /did not make/)
  await service.remove(`~/mcp-servers/${own.id}`)
})

test('web pages of other origins and other hosts are refused', async () => {
  const status = async (headers: Record<string, string>) => (await raw('POST', initialize, headers)).status
  assert.equal(await status({ origin: 'https://evil.example' }), 403)
  assert.equal(await status({ origin: 'null' }), 403)
  assert.equal(await status({ origin: 'http://localhost:5173' }), 200)
  const { port } = new URL(service.service.url)
  const { promise, resolve } = Promise.withResolvers<number>()
  const headers = { host: 'evil.example', 'x-api-key': service.service.credentials.apiKey }
  request({ port, path: `/api/mcp/${server.id}`, method: 'POST', headers }, answer =>
    resolve(answer.statusCode ?? 0),
  ).end()
  assert.equal(await promise, 403)
})

for (const mode of ['auto', 'legacy'] as const)
  test(`a call that its client cancels is stopped in the machine (${mode})`, async () => {
    const client = await assistant(service, server.id, { mode })
    const running = async () => {
      const { structuredContent } = await succeed(client, 'shell', { command: 'pgrep -cx "sleep"' })
      return Number(structuredContent['stdout'])
    }
    const { id } = await currentSandbox(client)
    const sleeping = async () => {
      const { body } = await service.post(`~/sandboxes/${id}/process`, {
        executable: 'pgrep',
        args: ['-cx', 'sleep'],
      })
      return Number(Buffer.from(body.stdoutBase64, 'base64').toString())
    }
    const giveUp = new AbortController()
    const call = client.callTool(
      { name: 'shell', arguments: { command: 'sleep 80; true' } },
      { signal: giveUp.signal },
    )
    await waitFor(async () => (await sleeping()) > 0)
    giveUp.abort()
    await assert.rejects(call)
    await waitFor(async () => (await sleeping()) === 0)
    assert.equal(await running(), 0, 'the next call of the server is not blocked')
  })

for (const mode of ['auto', 'legacy'] as const)
  test(`a call reports its progress when its client asks for it (${mode})`, async () => {
    const client = await assistant(service, server.id, { mode })
    const { id } = await currentSandbox(client)
    const reported: number[] = []
    const enough = Promise.withResolvers<void>()
    const call = client.callTool(
      { name: 'shell', arguments: { command: 'until [ -e reported ]; do sleep 0.1; done; rm reported' } },
      {
        onprogress: ({ progress }) => {
          if (reported.push(progress) === 3) enough.resolve()
        },
      },
    )
    await Promise.race([enough.promise, call])
    await service.post(`~/sandboxes/${id}/process`, { executable: 'touch', args: ['reported'] })
    await call
    assert.ok(reported.length >= 3, `${reported}`)
    assert.deepEqual(
      reported,
      reported.toSorted((a, b) => a - b),
    )
  })

for (const mode of ['auto', 'legacy'] as const)
  test(`a client is notified when the tools change (${mode})`, async () => {
    const own = await madeServer(service)
    let changes = 0
    const client = await assistant(service, own.id, { mode, onToolsChanged: () => changes++ })
    const change = (body: object) => service.call('PATCH', `~/mcp-servers/${own.id}`, { body })
    // Change the tools until the client notices, because a client with sessions opens its stream after it has
    // connected.
    let isOn = true
    await waitFor(async () => {
      isOn = !isOn
      await change({ tools: { shell: isOn } })
      return changes > 0
    })
    await change({ tools: { shell: true } })
    await change({ tools: { shell: false } })
    const { tools } = await client.listTools()
    assert.ok(!tools.some(({ name }) => name === 'shell'))
    await service.remove(`~/mcp-servers/${own.id}`)
  })

test('two assistants on two servers do not interfere, and the calls of each run one after the other', async () => {
  const other = await madeServer(service)
  const clients = [await assistant(service, server.id), await olderAssistant(service, other.id)]
  await Promise.all(
    clients.map(async (client, index) => {
      const expected = (turn: number) => `begin ${index}-${turn}\nend ${index}-${turn}\n`
      const turns = [0, 1, 2, 3, 4, 5]
      const step = (word: string, turn: number) => `echo ${word} ${index}-${turn} >> log`
      await Promise.all(
        turns.map(turn =>
          succeed(client, 'shell', { command: `${step('begin', turn)}; sleep 0.1; ${step('end', turn)}` }),
        ),
      )
      const { structuredContent } = await succeed(client, 'shell', { command: 'cat log; rm log' })
      const log = z.string().parse(structuredContent['stdout'])
      for (const turn of turns) assert.ok(log.includes(expected(turn)), log)
      assert.equal(log.length, turns.map(expected).join('').length)
    }),
  )
  await service.remove(`~/mcp-servers/${other.id}`)
})

async function currentSandbox(client: Parameters<typeof succeed>[0]): Promise<{ id: string }> {
  await succeed(client, 'shell', { command: 'true' })
  const { body } = await service.get('~/mcp-servers')
  return { id: body.find(({ id }: McpServer) => id === server.id).currentSandboxId }
}
