import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Sandbox, SandboxNotFoundError } from 'e2b'
import { raw } from '../../../modules/mappings/testing/raw.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { resolveNamesToLoopback } from '../../../testing/names.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { startGuestServer } from './testing/guest-server.ts'

resolveNamesToLoopback()
const { service } = await startMachineService()
const options = e2bOptions(service)
const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 3_600_000 })
const { sandboxId } = sandbox
await startGuestServer(sandbox, 3000)

const withToken = ({ trafficAccessToken: token = '' }: Sandbox) => ({ 'e2b-traffic-access-token': token })

/** Sends a request in both ways in which a port is named, and returns what both were answered with. */
async function refusal(
  { sandboxId: id, port = 3000, path = '/' }: { sandboxId: string; port?: number; path?: string },
  headers: Record<string, string>,
) {
  const { port: ownPort } = new URL(service.service.url)
  const ways: [string, Record<string, string>][] = [
    [`http://${port}-${id}.localhost:${ownPort}${path}`, {}],
    [service.service.url + path, { 'e2b-sandbox-id': id, 'e2b-sandbox-port': String(port) }],
  ]
  const answers = []
  for (const [url, named] of ways) {
    const response = await fetch(url, { headers: { ...named, ...headers } })
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const body = JSON.parse(await response.text())
    assert.deepEqual([body.sandboxId, body.port, body.code], [id, port, response.status])
    assert.equal(typeof body.message, 'string')
    answers.push([response.status, body.reason])
  }
  assert.deepEqual(answers[0], answers[1])
  return answers[0]
}

test('a port is closed to everybody without a token of its sandbox, whether that exists or not', async () => {
  const own = await Sandbox.create('small', options)
  const other = await service.otherOrganization()
  const foreign = await Sandbox.create('small', { ...options, apiKey: other.apiKey })
  const nowhere = { sandboxId: '00000000-0000-4000-8000-000000000000' }
  const unauthorized = [401, 'mapping.UNAUTHORIZED']
  const valid = withToken(sandbox)['e2b-traffic-access-token']
  for (const token of ['', 'nonsense', 'sgm_nonsense', `${valid.slice(0, -2)}AA`])
    for (const name of ['e2b-traffic-access-token', 'x-access-token'])
      assert.deepEqual(await refusal(sandbox, { [name]: token }), unauthorized, token)
  for (const target of [sandbox, foreign, nowhere]) {
    assert.deepEqual(await refusal(target, {}), unauthorized)
    assert.deepEqual(await refusal(target, withToken(own)), unauthorized)
    assert.deepEqual(await refusal(target, { 'x-api-key': options.apiKey }), unauthorized)
  }
  assert.deepEqual(await refusal(sandbox, withToken(foreign)), unauthorized)
  await assert.rejects(Sandbox.connect(sandboxId, { ...options, apiKey: other.apiKey }), SandboxNotFoundError)
})

test('the token of a key that may only look does not open a port', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'looks', role: 'viewer' })
  const seen = await Sandbox.connect(sandboxId, { ...options, apiKey: key.apiKey, timeoutMs: 1000 })
  assert.deepEqual(await refusal(sandbox, withToken(seen)), [403, 'auth.FORBIDDEN'])
})

test('a token ends with its key, and what it has open ends too', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  const mine = await Sandbox.connect(sandboxId, { ...options, apiKey: key.apiKey, timeoutMs: 1000 })
  const headers = withToken(mine)
  const socket = new WebSocket(`ws://${mine.getHost(3000)}/websocket`, { headers } as unknown as string[])
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await service.remove(`~/api-keys/${key.id}`)
  await closed
  assert.deepEqual(await refusal(sandbox, headers), [401, 'auth.INVALID'])
})

test('a port where nothing listens, a program that does not speak HTTP, and one that ends are told apart', async () => {
  const headers = withToken(sandbox)
  assert.deepEqual(await refusal({ sandboxId, port: 3999 }, headers), [502, 'mapping.NOT_LISTENING'])
  for (const path of ['/garbage', '/nothing', '/both-lengths', '/endless-headers', '/unasked-upgrade'])
    assert.deepEqual(await refusal({ sandboxId, path }, headers), [502, 'mapping.BAD_ANSWER'], path)
})

test('a WebSocket that is refused gets a response that says why', async () => {
  const refusedWith = async (host: string, headers: Record<string, string>) => {
    const lines = Object.entries({ host, connection: 'Upgrade', upgrade: 'websocket', ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const answer = await raw(service.service.url, `GET /websocket HTTP/1.1\r\n${head}\r\n`)
    const [, status, body = ''] = /^HTTP\/1\.1 (\d+).*?\r\n\r\n(.*)$/s.exec(answer) ?? []
    return [Number(status), JSON.parse(body).reason]
  }
  const socket = new WebSocket(`ws://${sandbox.getHost(3000)}/websocket`)
  await once(socket, 'error')
  assert.deepEqual(await refusedWith(sandbox.getHost(3000), {}), [401, 'mapping.UNAUTHORIZED'])
  assert.deepEqual(await refusedWith(sandbox.getHost(3999), withToken(sandbox)), [
    502,
    'mapping.NOT_LISTENING',
  ])
})

test('a program that never answers holds up nobody else', async () => {
  const headers = withToken(sandbox)
  const abort = new AbortController()
  const never = Array.from({ length: 50 }, () =>
    fetch(`http://${sandbox.getHost(3000)}/never`, { headers, signal: abort.signal }).catch(() => 'gone'),
  )
  assert.equal((await fetch(`http://${sandbox.getHost(3000)}/`, { headers })).status, 200)
  assert.equal((await sandbox.commands.run('echo works')).stdout, 'works\n')
  abort.abort()
  assert.deepEqual(new Set(await Promise.all(never)), new Set(['gone']))
})

test('hundreds of ports one after the other leave the one that answers usable', async () => {
  const headers = withToken(sandbox)
  for (let port = 4000; port < 4200; port++)
    assert.equal((await fetch(`http://${sandbox.getHost(port)}/`, { headers })).status, 502)
  assert.equal((await fetch(`http://${sandbox.getHost(3000)}/`, { headers })).status, 200)
})

test('a sandbox that was killed is not found', async () => {
  const short = await Sandbox.create('small', options)
  const headers = withToken(short)
  assert.deepEqual(await refusal(short, headers), [502, 'mapping.NOT_LISTENING'])
  await short.kill()
  assert.deepEqual(await refusal(short, headers), [502, 'sandbox.NOT_FOUND'])
})

test('what is no port of a sandbox is a mapping or the API, as without the door', async () => {
  const { port } = new URL(service.service.url)
  for (const label of [`0-${sandboxId}`, `65536-${sandboxId}`, `3000-${sandboxId.toUpperCase()}x`]) {
    const response = await fetch(`http://${label}.localhost:${port}/healthz`)
    assert.equal(response.status, 200, label)
  }
  const headers = { 'e2b-sandbox-id': '../../healthz', 'e2b-sandbox-port': '3000' }
  assert.equal((await service.get('/healthz', { key: null, headers })).status, 200)
})
