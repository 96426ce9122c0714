import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../testing/cleanup.ts'
import { resolveNamesToLoopback } from '../../testing/names.ts'
import { startGuest } from './testing/guest.ts'

resolveNamesToLoopback()
const guest = await startGuest({ SANDGLASS_MAPPING_CONNECTIONS: '8' })
const { service } = guest
await guest.serve(3000)
const { domain, accessToken } = await guest.map('localhost:3000')
const token = { 'x-sandglass-mapping-token': accessToken }
const url = (path: string) => `http://${domain}${path}`

const report = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(url(path), { ...init, headers: { ...token, ...init.headers } })
  return JSON.parse(await answer.text())
}
const release = () => report('/release')
const curl = async (...args: string[]) => {
  const given = [
    '--silent',
    '--show-error',
    '--max-time',
    String(patienceMs / 1000),
    '-H',
    `X-Sandglass-Mapping-Token: ${accessToken}`,
  ]
  return (await promisify(execFile)('curl', [...given, ...args], { maxBuffer: 1 << 28 })).stdout
}

test('a body arrives whole, with a length or in chunks, and the guest sees the address of the client', async () => {
  const body = randomBytes(3 << 20)
  const sha256 = createHash('sha256').update(body).digest('hex')
  const whole = await report('/put?a=b', { method: 'PUT', body, headers: { 'X-Forwarded-For': '6.6.6.6' } })
  assert.deepEqual([whole.method, whole.target, whole.sha256], ['PUT', '/put?a=b', sha256])
  const named = new Map<string, string>(
    whole.headers.map(([name, value]: string[]) => [name?.toLowerCase(), value]),
  )
  assert.equal(named.get('content-length'), String(body.length))
  assert.equal(named.get('host'), domain)
  assert.equal(named.get('x-forwarded-host'), domain)
  assert.equal(named.get('x-forwarded-proto'), 'http')
  assert.equal(named.get('x-forwarded-for'), '127.0.0.1')
  const chunked = await report('/chunked', {
    method: 'POST',
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(chunked.sha256, sha256)
  assert.equal((await report('/get-with-body', { method: 'DELETE', body: 'abc' })).size, 3)
})

test('curl sees an ordinary web server with a persistent connection', async () => {
  const first = JSON.parse(await curl(url('/one')))
  assert.equal(first.target, '/one')
  const twice = await curl('--verbose', '--stderr', '-', url('/a'), url('/b'))
  assert.match(twice, /Re-using existing connection/)
  assert.match(await curl('--head', url('/head')), /^HTTP\/1\.1 200 OK/)
  assert.equal(JSON.parse(await curl('--http1.0', url('/old'))).target, '/old')
  assert.equal(JSON.parse(await curl('-H', 'Expect: 100-continue', '-d', 'x', url('/expect'))).size, 1)
  assert.match(await curl('-H', 'TE: trailers', '--raw', url('/trailers')), /x-sum: 42/)
})

test('server-sent events arrive as they are sent', async () => {
  const answer = await fetch(url('/events'), { headers: token })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.equal((await reader?.read())?.value, 'data: one\n\n')
  await release()
  assert.equal((await reader?.read())?.value, 'data: two\n\n')
  await release()
  assert.equal((await reader?.read())?.done, true)
})

test('a response begins while its request is still being sent', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  void writer.write(Buffer.alloc(10))
  const answer = await fetch(url('/upload'), {
    method: 'POST',
    headers: token,
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.equal((await reader?.read())?.value, '10\n')
  void writer.write(Buffer.alloc(20))
  assert.equal((await reader?.read())?.value, '20\n')
  await writer.close()
  assert.equal((await reader?.read())?.done, true)
})

test('a slow client slows the guest down and does not use memory of the service', async () => {
  const { hostname, port } = new URL(service.service.url)
  const slow = connect(Number(port), hostname)
  // Close it even if the test fails, because an open connection would delay the shutdown of the service.
  cleanup.defer(() => void slow.destroy())
  slow.write(`GET /flood HTTP/1.1\r\nHost: ${domain}\r\nX-Sandglass-Mapping-Token: ${accessToken}\r\n\r\n`)
  await once(slow, 'readable')
  let flooded = -1
  await waitFor(async () => {
    const before = flooded
    flooded = (await report('/')).flooded
    return flooded === before
  })
  assert.ok(flooded < 48 << 20, `the guest could send ${flooded} bytes of 64 MiB`)
  let size = 0
  for await (const chunk of slow) {
    size += chunk.length
    if (size > 64 << 20) break
  }
  assert.ok(size > 64 << 20)
})

test('a WebSocket opens with the token, carries messages both ways, and closes cleanly', async () => {
  const refused = new WebSocket(`ws://${domain}/websocket`)
  await once(refused, 'error')
  const options = [
    { url: `ws://${domain}/websocket`, headers: token },
    { url: `ws://${domain}/websocket?sandglass_token=${accessToken}`, headers: {} },
    {
      url: `ws://${domain}/websocket`,
      headers: { cookie: `sandglass-mapping=${accessToken}`, origin: `http://${domain}` },
    },
  ]
  for (const { url: address, headers } of options) {
    const socket = new WebSocket(address, { headers } as unknown as string[])
    await once(socket, 'open')
    for (const message of ['hello', 'x'.repeat(60_000)]) {
      socket.send(message)
      const [{ data }] = await once(socket, 'message')
      assert.equal(data, message)
    }
    socket.close(1000, 'done')
    const [{ code, reason }] = await once(socket, 'close')
    assert.deepEqual([code, reason], [1000, 'done'])
  }
  // Wait, because the client may see the close before the gateway has counted it.
  let metrics = ''
  await waitFor(async () => {
    metrics = (await service.operator('GET', '/metrics')).text
    return metrics.includes('sandglass_mapping_open 0')
  })
  assert.match(metrics, /sandglass_mapping_requests_total\{status="1xx"\} 3/)
})

test('an upgrade that the guest refuses gets the response of the guest', async () => {
  const answer = await curl('-i', '-H', 'Connection: Upgrade', '-H', 'Upgrade: websocket', url('/plain'))
  assert.match(answer, /^HTTP\/1\.1 200 OK/)
  assert.match(answer, /"target": "\/plain"/)
  const other = await curl(
    '-H',
    'Connection: Upgrade, HTTP2-Settings',
    '-H',
    'Upgrade: h2c',
    '-H',
    'HTTP2-Settings: AA',
    url('/other'),
  )
  assert.doesNotMatch(other, /h2c|HTTP2-Settings/i, 'hop-by-hop headers are not forwarded')
})

test('hop-by-hop headers are not forwarded, and cookies are limited to the host', async () => {
  const { headers } = await report('/', { headers: { 'X-Kept': '1' } })
  assert.ok(headers.some(([name]: [string]) => name === 'X-Kept' || name === 'x-kept'))
  const answer = await fetch(url('/headers'), { headers: token, redirect: 'manual' })
  assert.equal(answer.headers.get('x-hop'), null)
  assert.deepEqual(answer.headers.getSetCookie(), ['a=1; Path=/'])
})

test('connections beyond the limit are refused and told to retry', async () => {
  const abort = new AbortController()
  const waiting = Array.from({ length: 8 }, () =>
    fetch(url('/never'), { headers: token, signal: abort.signal }).catch(() => {}),
  )
  let refused: Response | undefined
  await waitFor(async () => {
    refused = await fetch(url('/'), { headers: token })
    await refused.arrayBuffer()
    return refused.status === 503
  })
  assert.equal(refused?.headers.get('retry-after'), '1')
  abort.abort()
  await Promise.all(waiting)
  await waitFor(async () => (await fetch(url('/'), { headers: token })).status === 200)
})
