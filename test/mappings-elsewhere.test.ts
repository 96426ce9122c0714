import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Sandbox as Client } from 'e2b'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { e2bOptions } from '../packages/server/src/testing/e2b-options.ts'
import { resolveNamesToLoopback } from '../packages/server/src/testing/names.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { dialerOf } from './support/mapped-program.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

resolveNamesToLoopback()
const { env: database } = await sharedDatabase()
const env = { ...database, SANDGLASS_MAPPING_DOMAIN: 'apps.test' }

/** What stands for the program in the sandbox: it tells what it was asked, and echoes what an upgraded connection says. */
const program = createServer((request, response) => {
  if (request.url === '/never') return
  response.writeHead(200, { 'content-type': 'application/json', location: `http://localhost:3000/next` })
  response.end(JSON.stringify({ url: request.url, headers: request.headers }))
})
program.on('upgrade', (_request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  socket.pipe(socket)
})
const dial = await dialerOf(program)

const a = await startTestService(env, async () => paperEngines({ dial }))
const b = await startTestService(env, async () =>
  paperEngines({ dial: () => Promise.reject(new Error('not here')) }),
)
const { body: sandbox } = await a.post('~/sandboxes', { shape: 'linux-desktop' })
await waitFor(async () => (await b.get(`~/sandboxes/${sandbox.id}/status`)).body.status === 'RUNNING')
const mappings = `~/sandboxes/${sandbox.id}/mappings`
const { body: mapping } = await a.post(mappings, { targetEndpoint: 'localhost:3000' })
const token = { 'x-sandglass-mapping-token': mapping.accessToken }
const through = (service: typeof a) => `http://${mapping.domain}:${new URL(service.service.url).port}`

test('any process shows a credential the same mapping with the same token', async () => {
  assert.match(mapping.domain, /^m-[0-9a-f]{20}\.apps\.test$/)
  const { apiKey: key } = a.service.credentials
  assert.deepEqual((await b.get(mappings, { key })).body, [mapping])
})

test('a process that has not the machine passes requests on to the one that has', async () => {
  for (const service of [a, b]) {
    const answer = await fetch(`${through(service)}/x?y=1`, {
      headers: { ...token, cookie: 'a=1', 'x-forwarded-for': '6.6.6.6', 'x-sandglass-forwarded': '1' },
    })
    const { url, headers } = JSON.parse(await answer.text())
    assert.equal(url, '/x?y=1')
    assert.equal(headers.host, 'localhost:3000', 'a development server knows itself by that')
    assert.equal(headers['x-forwarded-host'], new URL(through(service)).host)
    assert.equal(headers['x-forwarded-for'], '127.0.0.1')
    assert.equal(headers.cookie, 'a=1')
    for (const name of ['x-sandglass-mapping-token', 'x-sandglass-forwarded'])
      assert.equal(headers[name], undefined)
    assert.equal(answer.headers.get('location'), '/next')
  }
})

test('the token is accepted in the published header, which the program does not see', async () => {
  const published = { 'x-gateway-access-token': mapping.accessToken }
  for (const service of [a, b]) {
    const answer = await fetch(`${through(service)}/x`, { headers: published })
    const { url, headers } = JSON.parse(await answer.text())
    assert.deepEqual([url, headers['x-gateway-access-token']], ['/x', undefined])
  }
  const wrong = { 'x-gateway-access-token': 'wrong' }
  assert.equal((await fetch(through(b), { headers: wrong })).status, 401)
  assert.equal(
    (await fetch(through(b), { headers: { ...token, ...wrong } })).status,
    401,
    'each must be right',
  )
})

test('a browser that comes with the published query parameter keeps the token as a cookie', async () => {
  const query = `x-gateway-access-token=${mapping.accessToken}`
  for (const service of [a, b]) {
    const opened = await fetch(`${through(service)}/page?x=1&${query}&y=2`, { redirect: 'manual' })
    assert.deepEqual([opened.status, opened.headers.get('location')], [303, '/page?x=1&y=2'])
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const answer = await fetch(`${through(service)}/page`, { headers: { cookie } })
    const { url, headers } = JSON.parse(await answer.text())
    assert.deepEqual([url, headers.cookie], ['/page', undefined])
    const posted = await fetch(`${through(service)}/form?${query}`, { method: 'POST', body: 'x' })
    assert.equal(JSON.parse(await posted.text()).url, '/form')
  }
  const wrong = await fetch(`${through(b)}/?x-gateway-access-token=wrong`, { redirect: 'manual' })
  assert.equal(wrong.status, 401)
})

test('a page of another origin may send the published header', async () => {
  const asked = await fetch(through(b), {
    method: 'OPTIONS',
    headers: {
      origin: 'https://pages.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-gateway-access-token',
    },
  })
  assert.equal(asked.status, 204)
  assert.match(asked.headers.get('access-control-allow-headers') ?? '', /x-gateway-access-token/)
})

test('a wrong token is refused by the first process that is asked', async () => {
  const answer = await fetch(through(b), { headers: { 'x-sandglass-mapping-token': 'wrong' } })
  assert.equal(answer.status, 401)
})

test('a WebSocket is passed on too', async () => {
  const { host, hostname, port } = new URL(through(b))
  const socket = connect(Number(port), hostname)
  cleanup.defer(() => void socket.destroy())
  socket.write(
    [
      ...['GET /socket HTTP/1.1', `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'],
      ...[`X-Sandglass-Mapping-Token: ${mapping.accessToken}`, '', ''],
    ].join('\r\n'),
  )
  const [head] = await once(socket, 'data')
  assert.match(String(head), /^HTTP\/1\.1 101 /)
  socket.write('hello')
  assert.equal(String((await once(socket, 'data'))[0]), 'hello')
})

test('a port that a client of E2B names is found from any process, and its token reaches no program', async () => {
  const { trafficAccessToken: access = '' } = await Client.connect(sandbox.id, e2bOptions(a))
  const traffic = { 'e2b-traffic-access-token': access }
  const address = { 'e2b-sandbox-id': sandbox.id, 'e2b-sandbox-port': '3000' }
  for (const { service } of [a, b])
    for (const [url, named] of [
      [`http://3000-${sandbox.id}.apps.test:${new URL(service.url).port}`, {}],
      [service.url, address],
    ] as const) {
      const answer = await fetch(`${url}/x?y=1`, { headers: { ...named, ...traffic } })
      const seen = JSON.parse(await answer.text())
      assert.deepEqual([seen.url, seen.headers.host], ['/x?y=1', 'localhost:3000'])
      for (const name of Object.keys({ ...traffic, ...address, 'x-sandglass-forwarded': '' }))
        assert.equal(seen.headers[name], undefined, name)
      const refused = await fetch(`${url}/x`, { headers: { ...named, 'e2b-traffic-access-token': 'wrong' } })
      assert.equal(refused.status, 401)
    }
})

test('nothing but mappings answers below their domain', async () => {
  const { port } = new URL(b.service.url)
  const answer = await fetch(`http://anything.apps.test:${port}/healthz`, { headers: token })
  assert.deepEqual([answer.status, JSON.parse(await answer.text()).code], [404, 'mapping.NOT_FOUND'])
})

test('a mapping waits for as long as it was told, whichever process is asked', async () => {
  const target = { targetEndpoint: 'localhost:3001' }
  const { body: patient } = await a.post(mappings, { ...target, waitSeconds: 1800 })
  assert.equal(patient.waitSeconds, 1800)
  const { body: hasty } = await a.post(mappings, { ...target, waitSeconds: 1 })
  assert.deepEqual(hasty, { ...patient, waitSeconds: 1 })
  assert.deepEqual((await a.post(mappings, target)).body, hasty, 'a call that does not name it leaves it')
  assert.deepEqual((await a.get(`${mappings}/localhost:3001`)).body, hasty)
  for (const waitSeconds of [0, 1801, 1.5])
    assert.equal((await a.post(mappings, { ...target, waitSeconds })).status, 400)
  for (const service of [a, b]) {
    const answer = await fetch(`http://${hasty.domain}:${new URL(service.service.url).port}/never`, {
      headers: { 'x-sandglass-mapping-token': hasty.accessToken },
    })
    const { code } = JSON.parse(await answer.text())
    assert.deepEqual([answer.status, code], [504, 'mapping.TIMEOUT'])
  }
})

test('a process that is gone is a 503', async () => {
  await a.service.close()
  await waitFor(async () => {
    const answer = await fetch(`${through(b)}/`, { headers: token })
    const { code } = JSON.parse(await answer.text())
    return answer.status === 503 && code === 'node.GONE' && answer.headers.get('retry-after') !== null
  })
})
