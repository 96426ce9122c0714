import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { waitFor } from '@sandglass/machines/testing'
import { readCertificate } from '../../../../gateway/src/certificate/certificate.ts'
import { issueCertificate } from '../../../../gateway/src/certificate/issue.ts'
import { FrontProcess, marksOf, startOwner } from './testing/two-processes.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let answer: Answer = (_, response) => response.end()
const owner = await startOwner((request, response) => answer(request, response))
const ownerUrl = `http://127.0.0.1:${owner.port}`
const front = await FrontProcess.start(ownerUrl)

/** Resolves to the next request that reaches the owner, and to its response. */
function nextAtOwner(): Promise<[IncomingMessage, ServerResponse]> {
  return new Promise(resolve => {
    answer = (...both) => resolve(both)
  })
}

function post(path: string, headers: Record<string, string | string[]> = {}) {
  return request(front.url + path, { method: 'POST', headers })
}

test('request and response bodies are streamed chunk by chunk', async () => {
  const asked = post('/up', { 'content-type': 'application/octet-stream' })
  const arrived = nextAtOwner()
  asked.write('one')
  const [upload, response] = await arrived
  assert.equal(String((await once(upload, 'data'))[0]), 'one')
  response.write('first')
  const [got] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(String((await once(got, 'data'))[0]), 'first')
  asked.end('two')
  assert.equal(String((await once(upload, 'data'))[0]), 'two')
  const ended = once(got, 'end')
  response.end('last')
  assert.equal(String((await once(got, 'data'))[0]), 'last')
  await ended
})

test('the owner gets the true address of the client, and hop-by-hop headers are not forwarded', async () => {
  const arrived = nextAtOwner()
  const asked = post('/x?y=1', {
    'x-forwarded-for': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    'x-real-ip': '6.6.6.6',
    connection: 'keep-alive, x-hop',
    'x-hop': '1',
    te: 'trailers',
    'x-kept': 'yes',
    'x-request-id': 'request-1234',
  })
  asked.end()
  const [received, response] = await arrived
  assert.equal(received.url, '/x?y=1')
  assert.equal(received.headers.host, `127.0.0.1:${owner.port}`)
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-hop', 'te'])
    assert.equal(received.headers[name], undefined, name)
  assert.deepEqual([received.headers['x-kept'], received.headers['x-request-id']], ['yes', 'request-1234'])
  const client = { address: '127.0.0.1', protocol: 'http' }
  assert.deepEqual(marksOf('owner').of(received), { kind: 'proven', client })
  response.writeHead(418, { 'x-own': 'of the owner', connection: 'x-hidden', 'x-hidden': '1' }).end('tea')
  const [got] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(got.statusCode, 418)
  assert.deepEqual(
    [got.headers['x-own'], got.headers['x-hidden'], got.headers['x-request-id']],
    ['of the owner', undefined, 'request-1234'],
  )
  got.resume()
})

test('a slow reader slows down the writer and loses no data', async () => {
  const arrived = nextAtOwner()
  const asked = post('/down').end()
  const [, response] = await arrived
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  let written = 0
  while (response.write(chunk)) written++
  const [got] = (await once(asked, 'response')) as [IncomingMessage]
  for (; written < 64; written++) response.write(chunk)
  // The socket buffers on the way hold a few megabytes. The rest must stay in the buffer of the writer.
  assert.ok(response.writableLength > 16 * chunk.length)
  response.end()
  let bytes = 0
  for await (const piece of got) bytes += piece.length
  assert.ok(bytes >= 64 * chunk.length)
})

test('a call ends at the owner when the caller disconnects', async () => {
  const arrived = nextAtOwner()
  const asked = post('/long')
  asked.on('error', () => {})
  asked.end()
  const [, response] = await arrived
  asked.destroy()
  await once(response, 'close')
  assert.equal(response.writableFinished, false)
})

test('a response is reset when the peer dies, and does not look complete', async () => {
  const arrived = nextAtOwner()
  const asked = post('/half').end()
  const [received, response] = await arrived
  response.write('half of it')
  const [got] = (await once(asked, 'response')) as [IncomingMessage]
  await once(got, 'data')
  received.socket.destroy()
  const [error] = await once(got, 'error')
  assert.equal(error.code, 'ECONNRESET')
})

test('a call is answered with a 503 if the peer dies before it responds, refuses connections, or has no address', async () => {
  const arrived = nextAtOwner()
  const asked = fetch(`${front.url}/none`, { method: 'POST' })
  const [received] = await arrived
  received.socket.destroy()
  const broken = await asked
  assert.deepEqual([broken.status, JSON.parse(await broken.text()).code], [503, 'node.GONE'])
  const { server, port } = await startOwner(() => {})
  server.close()
  for (const url of [`http://127.0.0.1:${port}`, undefined]) {
    front.ownerUrl = url
    const refused = await fetch(`${front.url}/none`)
    assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [503, 'node.GONE'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  front.ownerUrl = ownerUrl
})

test('a request with a valid or a forged mark is not forwarded again', async () => {
  answer = (_, response) => response.end('forwarded')
  const client = { address: '127.0.0.1', protocol: 'http' } as const
  const mark = marksOf('owner').make({ to: 'front', method: 'GET', path: '/again' }, client)
  const forged = mark.replace(/[^ ]$/, last => (last === 'A' ? 'E' : 'A'))
  for (const value of [mark, forged]) {
    const refused = await fetch(`${front.url}/again`, { headers: { 'x-sandglass-forwarded': value } })
    assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [503, 'node.GONE'])
  }
  const harmless = await fetch(`${front.url}/again`, { headers: { 'x-sandglass-forwarded': '1' } })
  assert.equal(await harmless.text(), 'forwarded')
})

test('two processes that each consider the other one the owner answer with a 503', async () => {
  const other = await FrontProcess.start(front.url)
  const { port } = new URL(other.url)
  front.ownerUrl = `http://127.0.0.1:${port}`
  const refused = await fetch(`${front.url}/loop`)
  front.ownerUrl = ownerUrl
  assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [503, 'node.GONE'])
})

test('a node that restarts with another address is reached at the new one', async () => {
  const next = await startOwner((_, response) => response.end('at the new address'))
  front.ownerUrl = `http://127.0.0.1:${next.port}`
  assert.equal(await (await fetch(`${front.url}/moved`)).text(), 'at the new address')
  front.ownerUrl = ownerUrl
})

test('a peer can be reached over TLS and below a path prefix', async () => {
  const { key, cert } = readCertificate(await issueCertificate(Date.now()), 0) ?? assert.fail()
  setDefaultCACertificates([...getCACertificates(), cert])
  const secure = await startOwner(
    (received, response) => response.end(received.url),
    listener => createTlsServer({ key, cert }, listener),
  )
  front.ownerUrl = `https://localhost:${secure.port}/before`
  assert.equal(await (await fetch(`${front.url}/x?y`)).text(), '/before/x?y')
  front.ownerUrl = ownerUrl
})

test('successive calls reuse one connection', async () => {
  let connections = 0
  const { port } = await startOwner(
    (_, response) => response.end('ok'),
    listener => createServer(listener).on('connection', () => connections++),
  )
  front.ownerUrl = `http://127.0.0.1:${port}`
  for (let i = 0; i < 10; i++) assert.equal(await (await fetch(`${front.url}/${i}`)).text(), 'ok')
  front.ownerUrl = ownerUrl
  assert.equal(connections, 1)
})

test('when the process closes, event streams end and other responses are completed', async () => {
  const closing = await FrontProcess.start(ownerUrl)
  const answers: ServerResponse[] = []
  answer = ({ url }, response) => {
    answers.push(response)
    response.writeHead(200, { 'content-type': url === '/events' ? 'text/event-stream' : 'text/plain' })
    response.write('begun')
  }
  const [events, text] = await Promise.all([fetch(`${closing.url}/events`), fetch(`${closing.url}/text`)])
  closing.peers.endStreams()
  await assert.rejects(events.text())
  await waitFor(async () => answers.filter(({ closed }) => closed).length === 1)
  for (const response of answers) response.end(', and ended')
  assert.equal(await text.text(), 'begun, and ended')
})
