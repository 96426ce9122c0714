import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { madeServer } from '../packages/server/src/testing/assistant.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { revision } from '../packages/server/src/testing/mcp-session.ts'
import { commandLines, runningSandbox } from '../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { service: here } = await startMachineService({ env })
const elsewhere = await startTestService(env)
const both = [here, elsewhere]
const sandbox = await runningSandbox(here)

/** Creates an MCP server for the sandbox and returns its path. Each test needs its own, since calls of one server queue. */
async function mcpServer(): Promise<string> {
  const { id } = await madeServer(here)
  await here.post(`~/mcp-servers/${id}/sandbox`, { sandboxId: sandbox.split('/').at(-1) })
  return `/api/mcp/${id}`
}

/** A response that ends only when its connection does. */
class Opened {
  readonly ended: Promise<boolean>
  isOver = false
  readonly #abort: AbortController

  constructor(response: Promise<Response>, abort: AbortController) {
    this.#abort = abort
    cleanup.defer(() => this.close())
    this.ended = response
      .then(answer => answer.text())
      .then(
        () => true,
        () => true,
      )
      .finally(() => {
        this.isOver = true
      })
  }

  close(): void {
    this.#abort.abort()
  }
}

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

async function request(service: TestService, key: string, path: string, asked: Asked, signal?: AbortSignal) {
  return fetch(service.service.url + service.expand(path), {
    method: asked.method ?? 'POST',
    headers: {
      'x-api-key': key,
      ...(asked.body && { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(asked.body && { body: JSON.stringify(asked.body) }),
    ...(signal && { signal }),
  })
}

/** Opens a stream, and waits for its headers. */
async function open(service: TestService, key: string, path: string, asked: Asked): Promise<Opened> {
  const abort = new AbortController()
  const response = await request(service, key, path, asked, abort.signal)
  assert.equal(response.status, 200)
  return new Opened(Promise.resolve(response), abort)
}

const watch = (service: TestService, key: string) =>
  open(service, key, `${sandbox}/files/changes?path=.`, { method: 'GET' })

const mcpHeaders = { 'mcp-protocol-version': revision, accept: 'application/json, text/event-stream' }

async function mcpSession(service: TestService, key: string, path: string): Promise<Record<string, string>> {
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: revision, capabilities: {}, clientInfo }
  const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
  const response = await request(service, key, path, { body, headers: mcpHeaders })
  await response.text()
  return { ...mcpHeaders, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
}

/** Everything that a key can keep open through the API of one process. `mark` names files that show what runs. */
async function openAll(service: TestService, key: string, mark: string): Promise<Opened[]> {
  const sleep = (name: string) => `touch ${mark}-${name}; sleep 600; touch ${mark}-${name}-ended`
  const { body: shell } = await service.post(`${sandbox}/shell`, { command: sleep('attached') }, { key })
  const abort = new AbortController()
  const exec = { body: { executable: 'sh', args: ['-c', sleep('exec')] } }
  const mcp = await mcpServer()
  const headers = await mcpSession(service, key, mcp)
  const call = { name: 'shell', arguments: { command: sleep('tool') } }
  const opened = [
    await open(service, key, `${sandbox}/shell/stream`, { body: { command: sleep('shell') } }),
    await open(service, key, `${sandbox}/shell/${shell.sessionId}/stream`, { method: 'GET' }),
    await watch(service, key),
    new Opened(request(service, key, `${sandbox}/process`, exec, abort.signal), abort),
    await open(service, key, mcp, { method: 'GET', headers }),
    await open(service, key, mcp, {
      headers,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    }),
  ]
  for (const name of ['shell', 'exec', 'tool'])
    await waitFor(async () => (await here.get(`${sandbox}/files/info?path=${mark}-${name}`)).status === 200)
  return opened
}

async function newKey(choices: object = {}): Promise<{ id: string; apiKey: string }> {
  const { body } = await here.post('~/api-keys', { name: 'test', role: 'member', ...choices })
  return body
}

for (const [name, revoker] of [
  ['the process that has the machine', here],
  ['another process', elsewhere],
] as const)
  test(`everything that a key has open in any process ends when ${name} revokes it`, async () => {
    const key = await newKey()
    const opened: Opened[] = []
    for (const service of both) {
      const mark = `${revoker === here ? 'a' : 'b'}-${service === here ? 'here' : 'elsewhere'}`
      opened.push(...(await openAll(service, key.apiKey, mark)))
    }
    const others = await Promise.all(both.map(service => watch(service, service.service.credentials.apiKey)))
    assert.deepEqual(
      opened.map(({ isOver }) => isOver),
      opened.map(() => false),
    )
    assert.equal((await revoker.delete(`~/api-keys/${key.id}`)).status, 200)
    await Promise.all(opened.map(({ ended }) => ended))
    for (const other of others) {
      assert.equal(other.isOver, false, 'what another key has open stays open')
      other.close()
    }
    await waitFor(async () => !/-(exec|tool)-ended/.test(await commandLines(here, sandbox)))
    for (const service of both)
      await waitFor(async () => {
        const { text: metrics } = await service.operator('GET', '/metrics')
        return /^sandglass_open_by_credential 1$/m.test(metrics)
      })
  })

test('a call that revokes its own key gets its answer', async () => {
  const key = await newKey({ role: 'admin' })
  const revoked = await elsewhere.delete(`~/api-keys/${key.id}`, { key: key.apiKey })
  assert.deepEqual([revoked.status, revoked.text], [200, ''])
  assert.equal((await elsewhere.get('~/stats', { key: key.apiKey })).status, 401)
})

test('what a key has open ends when it expires, also if that was set later', async () => {
  const { apiKey, id } = await newKey()
  const opened = await Promise.all(both.map(service => watch(service, apiKey)))
  await here.pool.db
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`now() + interval '1 second'` })
    .where('id', '=', id)
    .execute()
  await Promise.all(opened.map(({ ended }) => ended))
})

test('a revocation that was not announced is noticed when the listener connects again', async () => {
  const { db } = here.pool
  const key = await newKey()
  const opened = await Promise.all(both.map(service => watch(service, key.apiKey)))
  await sql`ALTER TABLE api_keys DISABLE TRIGGER announce`.execute(db)
  await here.remove(`~/api-keys/${key.id}`)
  await sql`ALTER TABLE api_keys ENABLE TRIGGER announce`.execute(db)
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'sandglass-listener'`.execute(db)
  await Promise.all(opened.map(({ ended }) => ended))
})

test('what a key has open ends when its organization is deleted', async () => {
  const { orgId, apiKey } = await here.otherOrganization()
  const made = await here.call('POST', `/api/orgs/${orgId}/mcp-servers`, {
    key: apiKey,
    body: { name: 'test', sandboxShape: 'small' },
  })
  const path = `/api/mcp/${made.body.id}`
  const headers = await mcpSession(elsewhere, apiKey, path)
  const opened = await open(elsewhere, apiKey, path, { method: 'GET', headers })
  assert.equal((await here.operator('DELETE', `/api/operator/organizations/${orgId}`)).status, 200)
  assert.equal(await opened.ended, true)
})
