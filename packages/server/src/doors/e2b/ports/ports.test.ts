import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { NotFoundError, Sandbox } from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { resolveNamesToLoopback } from '../../../testing/names.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { startGuestServer } from './testing/guest-server.ts'

recordCalls(import.meta.filename)
resolveNamesToLoopback()
const { service } = await startMachineService()
const options = e2bOptions(service)
const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 3_600_000 })
const { sandboxId, trafficAccessToken: token = '' } = sandbox
const { envdAccessToken: daemonToken } = sandbox as unknown as { readonly envdAccessToken: string }
const traffic = { 'e2b-traffic-access-token': token }
const named = { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': '3000' }
const host = sandbox.getHost(3000)
await startGuestServer(sandbox, 3000)

/** What the server in the sandbox says that it received. */
async function received(url: string, headers: Record<string, string>, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, headers })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const { method, target, headers: seen, size } = JSON.parse(text)
  const names = new Map<string, string>(
    seen.map(([name = '', value = '']: string[]) => [name.toLowerCase(), value]),
  )
  return { method, target, size, headers: names }
}

async function echo(url: string, headers: Record<string, string>): Promise<void> {
  const socket = new WebSocket(url, { headers } as unknown as string[])
  await once(socket, 'open')
  socket.send('hello')
  const [{ data }] = await once(socket, 'message')
  assert.equal(data, 'hello')
  socket.close(1000)
  await once(socket, 'close')
}

test('getHost names a port at which a program in the sandbox answers', async () => {
  assert.equal(host, `3000-${sandboxId}.localhost:${new URL(service.service.url).port}`)
  const body = 'x'.repeat(100_000)
  const seen = await received(`http://${host}/put?a=b`, traffic, { method: 'PUT', body })
  assert.deepEqual([seen.method, seen.target, seen.size], ['PUT', '/put?a=b', body.length])
  assert.equal(seen.headers.get('host'), host)
})

test('two headers name a port where host names do not resolve', async () => {
  const seen = await received(`${service.service.url}/healthz?a=b`, { ...named, ...traffic })
  assert.equal(seen.target, '/healthz?a=b')
  assert.equal(seen.headers.get('host'), 'localhost:3000')
  for (const path of ['/', '/sandboxes', '/api/orgs', '/doors/e2b/daemon/x/health'])
    assert.equal((await received(service.service.url + path, { ...named, ...traffic })).target, path)
})

test('the token of the daemon admits as well, and neither token reaches the program', async () => {
  for (const [url, address] of [
    [`http://${host}/`, {}],
    [`${service.service.url}/`, named],
  ] as const) {
    const seen = await received(url, { ...address, 'x-access-token': daemonToken, 'x-other': 'kept' })
    assert.equal(seen.headers.get('x-other'), 'kept')
    const both = await received(url, { ...address, ...traffic, 'x-access-token': daemonToken })
    for (const { headers } of [seen, both])
      for (const [name, value] of headers) {
        assert.ok(!value.includes('sgm_'), name)
        assert.doesNotMatch(name, /^e2b-|^x-access-token/)
      }
    const own = await received(url, { ...address, ...traffic, 'x-access-token': 'of the program' })
    assert.equal(own.headers.get('x-access-token'), 'of the program')
  }
})

test('WebSockets open by host and by headers', async () => {
  await echo(`ws://${host}/websocket`, traffic)
  await echo(`ws://${host}/websocket`, { 'x-access-token': daemonToken })
  await echo(`ws://${host}/websocket?e2b-traffic-access-token=${token}`, {})
  const { port } = new URL(service.service.url)
  await echo(`ws://127.0.0.1:${port}/websocket`, { ...named, ...traffic })
  await echo(`ws://127.0.0.1:${port}/websocket`, { ...named, 'x-access-token': daemonToken })
})

test('a person opens a URL with the token once, and the cookie admits the pages of that host only', async () => {
  const opened = await fetch(`http://${host}/vnc?a=b&e2b-traffic-access-token=${token}`, {
    redirect: 'manual',
  })
  assert.deepEqual([opened.status, opened.headers.get('location')], [303, '/vnc?a=b'])
  const [cookie = ''] = opened.headers.getSetCookie()
  assert.match(cookie, /; HttpOnly; SameSite=Lax/)
  const [pair = ''] = cookie.split(';')
  const seen = await received(`http://${host}/vnc`, { cookie: `${pair}; a=1` })
  assert.equal(seen.headers.get('cookie'), 'a=1')
  await echo(`ws://${host}/websocket`, { cookie: pair, origin: `http://${host}` })
  const foreign = await fetch(`http://${host}/`, {
    headers: { cookie: pair, origin: 'http://evil.localhost' },
  })
  assert.equal(foreign.status, 401)
})

test('the host of the service takes neither cookies nor links, and a program cannot set any there', async () => {
  const link = await fetch(`${service.service.url}/?e2b-traffic-access-token=${token}`, { headers: named })
  assert.equal(link.status, 401)
  const cookie = await fetch(`${service.service.url}/`, {
    headers: { ...named, cookie: `sandglass-mapping=${token}` },
  })
  assert.equal(cookie.status, 401)
  const shared = await fetch(`${service.service.url}/headers`, { headers: { ...named, ...traffic } })
  assert.deepEqual(shared.headers.getSetCookie(), [])
  const own = await fetch(`http://${host}/headers`, { headers: traffic })
  assert.deepEqual(own.headers.getSetCookie(), ['a=1; Path=/'])
})

test('a page of another origin may send the token', async () => {
  const asked = await fetch(`http://${host}/`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'e2b-traffic-access-token',
    },
  })
  assert.equal(asked.status, 204)
  assert.equal(asked.headers.get('access-control-allow-headers'), 'e2b-traffic-access-token')
})

test('a sandbox whose traffic is said to be public needs its token too', async () => {
  const open = await Sandbox.create('small', { ...options, network: { allowPublicTraffic: true } })
  assert.equal((await fetch(`http://${open.getHost(3000)}/`)).status, 401)
  assert.match(open.trafficAccessToken ?? '', /^sgm_/)
  const connected = await Sandbox.connect(open.sandboxId, options)
  assert.equal(connected.trafficAccessToken, open.trafficAccessToken)
  assert.deepEqual((await open.getInfo()).metadata, {})
})

test('no server of the Model Context Protocol is made for a sandbox, and its token is refused', async () => {
  assert.equal(sandbox.getMcpUrl(), `https://${sandbox.getHost(50005)}/mcp`)
  await assert.rejects(sandbox.getMcpToken(), NotFoundError)
})
