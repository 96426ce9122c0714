import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { Outbound } from './outbound.ts'

const outbound = new Outbound(['127.0.0.0/8', '::1/128'])
cleanup.defer(() => outbound.close())

/** Starts a server on loopback, and returns its port. */
async function serve(listener: RequestListener, address = '127.0.0.1'): Promise<number> {
  const server = createServer(listener).listen(0, address)
  await once(server, 'listening')
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server that records the requests that it receives. */
async function recorder(
  status = 200,
): Promise<{ url: string; got: { head: IncomingMessage; body: string }[] }> {
  const got: { head: IncomingMessage; body: string }[] = []
  const port = await serve(async (request, response) => {
    // An aborted upload has no complete body to record.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    got.push({ head: request, body })
    response.writeHead(status).end('thanks')
  })
  return { url: `http://127.0.0.1:${port}/put?signature=hush`, got }
}

test("a GET streams the content of the URL, and sends the caller's headers except framing", async () => {
  const port = await serve((request, response) => response.end(JSON.stringify(request.headers)))
  const headers = {
    'X-Mine': 'a',
    Host: 'evil.example',
    'Content-Length': '9',
    Connection: 'upgrade',
    TE: 'x',
  }
  const { status, body } = await outbound.get(`http://127.0.0.1:${port}/`, { headers })
  assert.equal(status, 200)
  assert.deepEqual(JSON.parse(await text(body)), {
    host: `127.0.0.1:${port}`,
    connection: 'keep-alive',
    'user-agent': 'sandglass',
    'x-mine': 'a',
  })
})

for (const host of [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '[::ffff:7f00:1]',
])
  test(`without permission, ${host} is not called`, async () => {
    let calls = 0
    const port = await serve((_request, response) => response.end(String(++calls)))
    const strict = new Outbound([])
    await assert.rejects(strict.get(`http://${host}:${port}/`), { code: 'outbound.FORBIDDEN', status: 400 })
    await assert.rejects(strict.put(`http://${host}:${port}/`, Buffer.from('x')), {
      code: 'outbound.FORBIDDEN',
    })
    assert.equal(calls, 0)
    await strict.close()
  })

test('a name is resolved once, and the checked address is the one that is dialled', async () => {
  const port = await serve((request, response) => response.end(request.headers.host))
  const asked: string[] = []
  // The first response also contains an address that is not allowed here. Only the other one is dialled.
  const answers = [['10.0.0.1', '127.0.0.1'], ['10.0.0.1']]
  const rebinding = new Outbound(['127.0.0.0/8'], async name => {
    asked.push(name)
    return (answers.shift() ?? []).map(address => ({ address, family: 4 }))
  })
  cleanup.defer(() => rebinding.close())
  const { body } = await rebinding.get(`http://rebinding.example:${port}/`)
  assert.equal(await text(body), `rebinding.example:${port}`)
  assert.deepEqual(asked, ['rebinding.example'])
  await assert.rejects(rebinding.get(`http://rebinding.example:${port + 1}/`), { code: 'outbound.FORBIDDEN' })
})

test("a redirect is followed and checked again, and the caller's headers are not sent to another origin", async () => {
  const target = await serve((request, response) => response.end(JSON.stringify(request.headers)))
  const port = await serve((request, response) => {
    const location = request.url === '/away' ? `http://localhost:${target}/` : '/away'
    response.writeHead(request.headers.authorization ? 302 : 400, { location }).end()
  })
  const { body } = await outbound.get(`http://127.0.0.1:${port}/`, {
    headers: { Authorization: 'Bearer hush' },
  })
  assert.equal(JSON.parse(await text(body)).authorization, undefined)

  const strict = new Outbound(['127.0.0.1/32'])
  cleanup.defer(() => strict.close())
  const redirecting = await serve((_, response) =>
    response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
  )
  await assert.rejects(strict.get(`http://127.0.0.1:${redirecting}/`), { code: 'outbound.FORBIDDEN' })
})

const redirects: [string, string, RegExp][] = [
  ['in a ring', '/', /redirected more than 5 times/],
  ['to another scheme', 'file:///etc/passwd', /not an http or https URL/],
  ['with a credential', 'http://user:hush@example.com/', /contains a credential/],
  ['to nonsense', 'http://[', /no URL/],
]
for (const [how, location, message] of redirects)
  test(`a redirect ${how} fails`, async () => {
    const port = await serve((_, response) => response.writeHead(302, { location }).end())
    await assert.rejects(outbound.get(`http://127.0.0.1:${port}/`), error => {
      assert.ok(error instanceof Error)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /hush/)
      return true
    })
  })

test('an unsuccessful answer fails, and the message contains only the origin of the URL', async () => {
  const { url } = await recorder(403)
  for (const call of [outbound.get(url), outbound.put(url, Buffer.from('x'))])
    await assert.rejects(call, error => {
      assert.ok(error instanceof Error)
      assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+: it answered 403\./)
      return true
    })
})

test('a PUT sends a stream with the given length, so that it is not chunked', async () => {
  const { url, got } = await recorder()
  await outbound.put(url, Readable.from([Buffer.from('one '), Buffer.from('two')]), {
    contentLength: 7,
    headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
  })
  await outbound.put(url, Readable.from([]), { contentLength: 0 })
  assert.deepEqual(
    got.map(({ head, body }) => [head.headers['content-length'], head.headers['transfer-encoding'], body]),
    [
      ['7', undefined, 'one two'],
      ['0', undefined, ''],
    ],
  )
})

test('a stream that is longer or shorter than declared fails, and one that breaks fails with its own error', async () => {
  const { url, got } = await recorder()
  for (const contentLength of [2, 4])
    await assert.rejects(outbound.put(url, Readable.from([Buffer.from('one')]), { contentLength }), {
      code: 'outbound.FAILED',
    })
  const breaking = new PassThrough()
  breaking.write('on')
  const sent = outbound.put(url, breaking, { contentLength: 3 })
  breaking.destroy(new Error('the disk broke'))
  await assert.rejects(sent, /the disk broke/)
  const inForm = new PassThrough()
  const posted = outbound.postForm(url, {}, { field: 'file', name: 'a', body: inForm })
  inForm.destroy(new Error('the disk broke again'))
  await assert.rejects(posted, /the disk broke again/)
  assert.equal(
    got.some(({ body }) => body === 'one'),
    false,
  )
})

/** Sends pieces from a single buffer that it reuses, like a file of a sandbox does. */
const sending = (pieces: string[], then?: () => Promise<void>) => ({
  async sendTo(sink: Writable) {
    const buffer = Buffer.alloc(100)
    for (const piece of pieces) {
      const part = buffer.subarray(0, buffer.write(piece))
      await new Promise<void>((resolve, reject) =>
        sink.write(part, error => (error ? reject(error) : resolve())),
      )
    }
    await then?.()
  },
})

test('self-sending content is sent like a stream, also in a form', async () => {
  const { url, got } = await recorder()
  await outbound.put(url, sending(['one ', 'two']), { contentLength: 7, headers: { 'x-mine': 'a' } })
  await outbound.postForm(url, { key: 'k' }, { field: 'file', name: 'a', body: sending(['content']) })
  const [put, form] = got
  assert.deepEqual(
    ['content-length', 'x-mine', 'user-agent', 'host'].map(name => put?.head.headers[name]),
    ['7', 'a', 'sandglass', new URL(url).host],
  )
  assert.equal(put?.body, 'one two')
  assert.match(form?.body ?? '', /name="key"\r\n\r\nk\r\n[\s\S]*filename="a"[\s\S]*\r\n\r\ncontent\r\n--/)
})

test('self-sending content that fails is reported with its own error, and is never complete for the server', async () => {
  const { url, got } = await recorder()
  const breaks = async () => {
    throw new Error('the disk broke')
  }
  await assert.rejects(outbound.put(url, sending(['on'], breaks), { contentLength: 3 }), /the disk broke/)
  assert.equal(got.length, 0)
})

test('self-sending content ends on refusals, early answers, lost connections and callers who disconnect', async () => {
  const never = () => new Promise<void>(() => {})
  const strict = new Outbound([])
  cleanup.defer(() => strict.close())
  const port = await serve((request, response) => {
    if (request.url === '/cut') request.socket.destroy()
    else if (request.url !== '/never') response.writeHead(403).end()
  })
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  await assert.rejects(strict.put(at('/'), sending(['x'])), { code: 'outbound.FORBIDDEN' })
  await assert.rejects(outbound.put(at('/'), sending(['x'], never)), /it answered 403/)
  await assert.rejects(outbound.put(at('/cut'), sending(['x'], never)), /it closed the connection/)
  await assert.rejects(outbound.put(`http://127.0.0.2:${port}/`, sending(['x'])), /it refused the connection/)
  const disconnected = new AbortController()
  const waiting = outbound.put(at('/never'), sending(['x'], never), { signal: disconnected.signal })
  disconnected.abort(new Error('the caller went away'))
  await assert.rejects(waiting, /the caller went away/)
})

test('an upload follows no redirect', async () => {
  const port = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(307, { location: '/elsewhere' }).end())
  })
  await assert.rejects(outbound.put(`http://127.0.0.1:${port}/`, Buffer.from('x')), /redirect/)
})

test('a form has its fields first and the file last, and the declared length is correct', async () => {
  let form: FormData | undefined
  let length = ''
  const port = await serve(async (request, response) => {
    const { 'content-type': type = '', 'content-length': declared = '' } = request.headers
    length = declared
    form = await new Response(Readable.toWeb(request) as ReadableStream, {
      headers: { 'content-type': type },
    }).formData()
    response.writeHead(204).end()
  })
  const body = Readable.from([Buffer.from('con'), Buffer.from('tent')])
  await outbound.postForm(
    `http://127.0.0.1:${port}/`,
    { key: 'a"b\r\nc', 'x"y': '2' },
    { field: 'file', name: 'näme".txt', body },
    { contentLength: 7, headers: { 'Content-Type': 'text/plain' } },
  )
  assert.ok(form)
  assert.deepEqual([...form.keys()], ['key', 'x"y', 'file'])
  assert.equal(form.get('key'), 'a"b\r\nc')
  const file = form.get('file')
  assert.ok(file instanceof File)
  assert.deepEqual([file.name, await file.text()], ['näme".txt', 'content'])
  assert.ok(Number(length) > 7)
})

test('invalid URLs and headers are refused before anything is called', async () => {
  const invalid = { code: 'outbound.INVALID', status: 400 }
  for (const url of [
    'nonsense',
    'ftp://example.com/',
    'http://user:hush@example.com/',
    'http://:hush@example.com/',
  ])
    await assert.rejects(outbound.get(url), invalid)
  for (const [name, value] of [
    ['a b', 'c'],
    ['a', 'b\r\nX-Evil: 1'],
    ['', 'c'],
  ] as const)
    await assert.rejects(outbound.get('http://example.com/', { headers: { [name]: value } }), invalid)
})

test('a caller who disconnects ends the call, even in the middle of the body', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/body') response.write('begin')
  })
  const waiting = new AbortController()
  const waited = outbound.get(`http://127.0.0.1:${port}/`, { signal: waiting.signal })
  waiting.abort(new Error('the caller went away'))
  await assert.rejects(waited, /the caller went away/)

  const reading = new AbortController()
  const { body } = await outbound.get(`http://127.0.0.1:${port}/body`, { signal: reading.signal })
  await once(body, 'readable')
  reading.abort(new Error('the caller went away'))
  await assert.rejects(text(body))
})

test('servers that refuse, do not exist or send endless headers cause an ordinary failure', async () => {
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.write(`HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(1000)}\r\n`.repeat(40)}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  await assert.rejects(outbound.get(`http://127.0.0.1:${port}/`), /the head of its answer is too large/)
  const free = await serve(() => {})
  await assert.rejects(outbound.get(`http://127.0.0.2:${free}/`), /it refused the connection/)
  const nameless = new Outbound([], async () => {
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  })
  cleanup.defer(() => nameless.close())
  await assert.rejects(nameless.get('http://nowhere.example/'), /its name does not resolve/)
})
