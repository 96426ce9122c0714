import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { FakeScreen } from '../packages/gateway/src/picture/testing/fake-screen.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { connectDetails, enter } from '../packages/server/src/testing/live-viewer.ts'
import { resolveNamesToLoopback } from '../packages/server/src/testing/names.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { dialerOf } from './support/mapped-program.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

resolveNamesToLoopback()
const { env: database } = await sharedDatabase()
const env = { ...database, SANDGLASS_MAPPING_DOMAIN: 'apps.test' }

/** What stands for the program in the sandbox: its answers never end, and it echoes what upgraded connections say. */
const program = createServer((_request, response) => response.writeHead(200).write('begun'))
program.on('upgrade', (_request, socket) => {
  socket.on('error', () => {})
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  socket.pipe(socket)
})
const dial = await dialerOf(program)

const start = () => startTestService(env, async () => paperEngines({ dial, screen: new FakeScreen(64, 48) }))
const [a, b] = [await start(), await start()]
const { body: sandbox } = await a.post('~/sandboxes', { shape: 'linux-desktop' })
const path = `~/sandboxes/${sandbox.id}`
await waitFor(async () => (await b.get(`${path}/status`)).body.status === 'RUNNING')
const { body: mapping } = await a.post(`${path}/mappings`, { targetEndpoint: 'localhost:3000' })

const portOf = ({ service }: TestService) => Number(new URL(service.url).port)

async function tokenFor(key: string): Promise<string> {
  return (await b.get(`${path}/mappings`, { key })).body[0].accessToken
}

async function statusOf(service: TestService, headers: Record<string, string>): Promise<number | undefined> {
  const request = get({ host: mapping.domain, port: portOf(service), agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.destroy()
  return response.statusCode
}

/** Opens a response that does not end, and resolves to a promise of its end. */
async function opened(service: TestService, token: string): Promise<{ ended: Promise<unknown> }> {
  const headers = { 'x-gateway-access-token': token }
  const request = get({ host: mapping.domain, port: portOf(service), agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  cleanup.defer(() => void response.destroy())
  assert.equal(response.statusCode, 200)
  response.on('error', () => {}).resume()
  return { ended: new Promise(resolve => response.once('close', resolve)) }
}

async function webSocket(service: TestService, token: string): Promise<Socket> {
  const socket = connect(portOf(service), '127.0.0.1').on('error', () => {})
  cleanup.defer(() => void socket.destroy())
  const head = ['GET / HTTP/1.1', `Host: ${mapping.domain}`, 'Connection: Upgrade', 'Upgrade: websocket']
  socket.write([...head, `X-Gateway-Access-Token: ${token}`, '', ''].join('\r\n'))
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /)
  return socket
}

async function newKey(): Promise<{ id: string; apiKey: string }> {
  return (await a.post('~/api-keys', { name: 'test', role: 'member' })).body
}

test('everything that was opened with the token of a key ends when any process revokes the key', async () => {
  for (const revoker of [a, b]) {
    const key = await newKey()
    const token = await tokenFor(key.apiKey)
    assert.notEqual(token, mapping.accessToken)
    const ends: Promise<unknown>[] = []
    const others: Socket[] = []
    for (const service of [a, b]) {
      ends.push((await opened(service, token)).ended)
      const socket = await webSocket(service, token)
      ends.push(new Promise(resolve => socket.once('close', resolve)))
      others.push(await webSocket(service, mapping.accessToken))
    }
    const cookie = `sandglass-mapping=${token}`
    assert.equal(await statusOf(b, { cookie }), 200)
    await revoker.remove(`~/api-keys/${key.id}`)
    await Promise.all(ends)
    for (const service of [a, b]) {
      assert.equal(await statusOf(service, { 'x-gateway-access-token': token }), 401)
      assert.equal(await statusOf(service, { cookie }), 401)
    }
    for (const socket of others) {
      socket.write('still here')
      assert.equal(String((await once(socket, 'data'))[0]), 'still here')
    }
  }
})

test('a token ends when its key expires', async () => {
  const key = await newKey()
  const token = await tokenFor(key.apiKey)
  const ends = [await opened(a, token), await opened(b, token)].map(({ ended }) => ended)
  await a.pool.db
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`now() + interval '1 second'` })
    .where('id', '=', key.id)
    .execute()
  await Promise.all(ends)
  for (const service of [a, b])
    assert.equal(await statusOf(service, { 'x-gateway-access-token': token }), 401)
})

test('viewers that entered with a key leave when another process revokes it, also where they were forwarded', async () => {
  const key = await newKey()
  const direct = await connectDetails(a, path, { key: key.apiKey })
  const gatewayAddresses = direct.gatewayAddresses.map(address => ({ ...address, port: portOf(b) }))
  const viewers = [await enter(direct), await enter({ ...direct, gatewayAddresses })]
  for (const viewer of viewers) await viewer.message('lease')
  await b.remove(`~/api-keys/${key.id}`)
  for (const viewer of viewers) assert.equal((await viewer.goodbye()).code, 'live.TOKEN_REVOKED')
})
