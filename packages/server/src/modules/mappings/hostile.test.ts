import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { resolveNamesToLoopback } from '../../testing/names.ts'
import { startGuest } from './testing/guest.ts'
import { raw } from './testing/raw.ts'

resolveNamesToLoopback()
const guest = await startGuest()
const { service } = guest
await guest.serve(3000)
const { domain, accessToken } = await guest.map('127.0.0.1:3000')
const token = { 'x-sandglass-mapping-token': accessToken }
const ask = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`http://${domain}${path}`, { ...init, headers: token })
  const text = await answer.text()
  return { status: answer.status, text }
}
const head = (line: string, ...more: string[]) =>
  [line, `Host: ${domain}`, `X-Sandglass-Mapping-Token: ${accessToken}`, ...more, '', ''].join('\r\n')
const send = (bytes: string) => raw(service.service.url, bytes)
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

for (const path of [
  '/garbage',
  '/both-lengths',
  '/two-lengths',
  '/bare-line-feeds',
  '/unasked-upgrade',
  '/odd-status',
  '/endless-headers',
  '/nothing',
  '/split-header',
])
  test(`a guest that responds with ${path.slice(1)} is reported as a 502, and others are not affected`, async () => {
    const { status, text } = await ask(path)
    assert.deepEqual([status, JSON.parse(text).code], [502, 'mapping.BAD_ANSWER'])
    assert.equal((await ask('/')).status, 200)
  })

test('an unsolicited response reaches no client', async () => {
  for (let i = 0; i < 5; i++) {
    assert.equal((await ask('/smuggled')).text, 'first')
    assert.equal(JSON.parse((await ask('/next')).text).target, '/next')
  }
})

test('a client can tell that a response was truncated', async () => {
  await assert.rejects(ask('/truncated'))
  assert.equal((await ask('/')).status, 200)
})

test('a response that comes before the request was read is delivered', async () => {
  const { status, text } = await ask('/early', { method: 'POST', body: Buffer.alloc(4 << 20) })
  assert.deepEqual([status, text], [413, 'big'])
})

test('an ambiguous request is refused', async () => {
  const ambiguous = [
    head('POST / HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked') +
      '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
    `${head('POST / HTTP/1.1', 'Content-Length: 5', 'Content-Length: 6')}hello!`,
    `${head('POST / HTTP/1.1', 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`,
    `${head('POST / HTTP/1.1', 'Transfer-Encoding : chunked')}0\r\n\r\n`,
    head('GET / HTTP/1.1', 'X-A: b', ' folded: yes'),
    head('GET / HTTP/1.1').replaceAll('\r\n', '\n'),
    head('GET / HTTP/1.1', 'Host: other.example'),
    head(`GET http://${domain}/ HTTP/1.1`),
    head('OPTIONS * HTTP/1.1'),
  ]
  for (const bytes of ambiguous) {
    const answer = await send(bytes)
    assert.deepEqual(statuses(answer), [400], bytes)
    assert.match(answer, /"code":"request\.MALFORMED"/)
  }
})

test('headers that are too large are a 431, and an incomplete request ends when its client disconnects', async () => {
  const answer = await send(head('GET / HTTP/1.1', `X-Big: ${'x'.repeat(20_000)}`))
  assert.deepEqual(statuses(answer), [431])
  assert.match(answer, /"code":"request\.HEADERS_TOO_LARGE"/)

  const { hostname, port } = new URL(service.service.url)
  const half = connect(Number(port), hostname)
  half.write(`${head('POST /slow HTTP/1.1', 'Content-Length: 100')}half`)
  const open = async () => {
    const { text } = await service.operator('GET', '/metrics')
    return Number(/sandglass_mapping_open (\d+)/.exec(text)?.[1])
  }
  await waitFor(async () => (await open()) === 1)
  half.destroy()
  await waitFor(async () => (await open()) === 0)
})

test('pipelined requests are answered in order', async () => {
  const answer = await send(
    head('GET /first HTTP/1.1') +
      head('GET /garbage HTTP/1.1') +
      head('GET /last HTTP/1.1', 'Connection: close'),
  )
  assert.deepEqual(statuses(answer).slice(0, 2), [200, 502])
  assert.match(answer, /"target": "\/first"/)
})

test('a guest that never responds affects nobody else, and its connection ends with the client', async () => {
  const abort = new AbortController()
  const never = Array.from({ length: 100 }, () =>
    fetch(`http://${domain}/never`, { headers: token, signal: abort.signal }).catch(() => 'gone'),
  )
  assert.equal((await ask('/')).status, 200)
  assert.equal((await service.get('~/stats')).status, 200)
  abort.abort()
  assert.deepEqual(new Set(await Promise.all(never)), new Set(['gone']))
})

test('a port where nothing listens is a 502 that says how to fix it, and works once something listens', async () => {
  const other = await guest.map('localhost:3001')
  const headers = { 'x-sandglass-mapping-token': other.accessToken }
  const refused = await fetch(`http://${other.domain}/`, { headers })
  const { code, message } = JSON.parse(await refused.text())
  assert.deepEqual([refused.status, code], [502, 'mapping.NOT_LISTENING'])
  assert.match(message, /Start the program there/)
  await guest.serve(3001)
  assert.equal((await fetch(`http://${other.domain}/`, { headers })).status, 200)
})

test('a WebSocket that is cut off on one side is closed on the other', async () => {
  const socket = new WebSocket(`ws://${domain}/websocket`, { headers: token } as unknown as string[])
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await service.remove(`~/sandboxes/${guest.id}/mappings/127.0.0.1:3000`)
  const [{ code }] = await closed
  assert.equal(code, 1006)
})
