import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startTestService } from '../testing/test-service.ts'

const service = await startTestService({ SANDGLASS_CORS_ORIGINS: 'https://app.example' })

/** Sends raw bytes, for requests that no HTTP client would send. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.service.url)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  return text(socket)
}

test('every answer has a request id, and keeps a valid one that a proxy sent', async () => {
  const [one, other] = [await service.get('~/stats'), await service.get('~/stats')]
  assert.match(one.headers.get('x-request-id') ?? '', /^[\w-]{14,64}$/)
  assert.notEqual(one.headers.get('x-request-id'), other.headers.get('x-request-id'))
  const given = await service.get('~/stats', { headers: { 'x-request-id': 'proxy-id-12345' } })
  assert.equal(given.headers.get('x-request-id'), 'proxy-id-12345')
  const odd = await service.get('~/stats', { headers: { 'x-request-id': 'a b' } })
  assert.notEqual(odd.headers.get('x-request-id'), 'a b')
  const failed = await service.get('/nowhere')
  assert.equal(failed.body.requestId, failed.headers.get('x-request-id'))
})

test('an unknown path gets a 404, and a known path with another method a 405 that lists the methods', async () => {
  const unknown = await service.get('/api/nowhere')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'route.NOT_FOUND'])
  const wrong = await service.call('PUT', '~/projects')
  assert.deepEqual([wrong.status, wrong.body.code], [405, 'route.METHOD_NOT_ALLOWED'])
  assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST')
})

test('paths that lead to no file, and methods that nobody knows, are refused without an error of the service', async () => {
  for (const path of [
    '/assets/',
    '/assets/%00',
    '/docs/',
    '/docs/assets/absent.js',
    '/docs/..%2fpackage.json',
  ]) {
    const { status, body } = await service.get(path, { key: null })
    assert.deepEqual([status, body?.code], [404, 'route.NOT_FOUND'], path)
  }
  for (const method of ['QUERY', 'PROPFIND', 'SEARCH'])
    for (const [path, status] of Object.entries({
      '/healthz': 405,
      '/openapi.json': 405,
      '/nowhere': 404,
      [service.expand('~/projects')]: 405,
    })) {
      const answer = await raw(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${method} ${path}`)
    }
})

test('a request that leads nowhere is refused before its body is read', async () => {
  for (const headers of [{ 'content-type': 'application/xml' }, { 'content-type': 'application/json' }]) {
    const { status } = await service.call('POST', '/nowhere', { body: '{broken', headers })
    assert.equal(status, 404)
  }
})

test('the caller is authenticated and authorized before the body is read', async () => {
  const broken = { key: null, body: '{broken' }
  assert.equal((await service.call('POST', '~/projects', broken)).status, 401)
  assert.equal((await service.call('POST', '/api/orgs/other/projects', { body: '{broken' })).status, 404)
  const viewer = await service.keyOf('viewer')
  assert.equal((await service.call('POST', '~/projects', { key: viewer, body: '{broken' })).status, 403)
  const { status, body } = await service.call('POST', '~/projects', { body: '{broken' })
  assert.deepEqual([status, body.code], [400, 'request.MALFORMED_JSON'])
})

test('an empty body with a JSON content type counts as no body', async () => {
  const json = { headers: { 'content-type': 'application/json' } }
  assert.equal((await service.get('~/stats', json)).status, 200)
  const { body } = await service.post('~/projects', { name: 'gone' })
  assert.equal((await service.delete(`~/projects/${body.id}`, json)).status, 200)
  const missing = await service.call('POST', '~/projects', json)
  assert.deepEqual([missing.status, missing.body.code], [400, 'request.INVALID'])
})

test('a body of another type gets a 415, and one over the limit a 413', async () => {
  const xml = await service.call('POST', '~/projects', {
    body: '<a/>',
    headers: { 'content-type': 'application/xml' },
  })
  assert.deepEqual([xml.status, xml.body.code], [415, 'request.UNSUPPORTED_MEDIA_TYPE'])
  const large = await service.post('~/projects', { name: 'x'.repeat(1024 * 1024) })
  assert.deepEqual([large.status, large.body.code], [413, 'request.BODY_TOO_LARGE'])
})

test('only bodies that carry texts or lists can be larger than 64 KiB, and none has countless values', async () => {
  const padding = ' '.repeat(65 * 1024)
  const project = await service.post('~/projects', `{"name":"x"}${padding}`)
  assert.deepEqual([project.status, project.body.code], [413, 'request.BODY_TOO_LARGE'])
  const parse = (body: string) => service.post('/api/computer-use/parse/seed', body)
  assert.equal((await parse(`{"textContent":""}${padding}`)).status, 200)
  const nested = await parse(`{"textContent":"","x":[${'[],'.repeat(100_000)}[]]}`)
  assert.deepEqual([nested.status, nested.body.code], [413, 'request.BODY_TOO_LARGE'])
})

test('unknown fields are ignored, including those that would change a prototype', async () => {
  const { status, body } = await service.post(
    '~/projects',
    '{"name":"plain","colour":"red","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}',
  )
  assert.deepEqual([status, body.name], [200, 'plain'])
})

test('exactly one credential is accepted', async () => {
  const headers = { 'x-trial-session-token': 'sgt_x' }
  const both = await service.get('~/stats', { headers })
  assert.deepEqual([both.status, both.body.code], [401, 'auth.AMBIGUOUS'])
  const basic = await service.get('~/stats', { key: null, headers: { authorization: 'Basic abc' } })
  assert.deepEqual([basic.status, basic.body.code], [401, 'auth.INVALID'])
  assert.equal(basic.headers.get('www-authenticate'), 'Bearer realm="sandglass"')
})

test('a Host that is not local is refused on a loopback address', async () => {
  const answer = await raw('GET /healthz HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 403 /)
  assert.match(answer, /request\.HOST_NOT_ALLOWED/)
  const local = await raw('GET /healthz HTTP/1.1\r\nHost: box.localhost:1\r\nConnection: close\r\n\r\n')
  assert.match(local, /^HTTP\/1\.1 200 /)
})

test('bytes that are not HTTP, and malformed paths, get a JSON error', async () => {
  assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*"code":"request\.MALFORMED"/)
  const path = await service.get('/api/orgs/%ff/stats')
  assert.deepEqual([path.status, path.body.code], [400, 'request.MALFORMED'])
})

test('a zero byte in a path gets a 400', async () => {
  const { status, body } = await service.delete('~/projects/a%00b')
  assert.deepEqual([status, body.code, body.issues.length], [400, 'request.INVALID', 1])
})

test('only pages of the configured origins may call the API', async () => {
  const asked = (origin: string) =>
    service.call('OPTIONS', '~/projects', {
      key: null,
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  const allowed = await asked('https://app.example')
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example')
  assert.equal((await asked('https://evil.example')).headers.get('access-control-allow-origin'), null)
})

test('a preflight response lists the methods that the path has', async () => {
  const asked = (path: string, headers: Record<string, string> = {}) =>
    service.call('OPTIONS', path, { key: null, headers: { origin: 'https://app.example', ...headers } })
  const preflight = { 'access-control-request-method': 'POST' }
  const methods = async (path: string) =>
    (await asked(path, preflight)).headers.get('access-control-allow-methods')
  assert.equal(await methods('~/projects'), 'GET, HEAD, POST')
  assert.equal(await methods('~/projects/x'), 'DELETE, PATCH')
  assert.equal((await asked('/nowhere', preflight)).status, 404)
  const plain = await asked('~/projects')
  assert.deepEqual([plain.status, plain.headers.get('allow')], [405, 'GET, HEAD, POST'])
})

test('the API reference and its OpenAPI document are served', async () => {
  const page = await service.get('/docs', { key: null })
  assert.match(page.text, /<title>API/)
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? 'unsafe-', /unsafe-/)
  const { body, headers } = await service.get('/openapi.json', { key: null })
  assert.equal(body.openapi, '3.1.0')
  assert.equal(body.servers[0].url, service.service.url)
  const etag = headers.get('etag') ?? ''
  const again = await service.get('/openapi.json', { key: null, headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.text], [304, ''])
  const other = await service.get('/openapi.json', { key: null, headers: { 'if-none-match': '"other"' } })
  assert.deepEqual([other.status, other.headers.get('etag')], [200, etag])
})

test('health reports that the process responds, and readiness that the database does', async () => {
  assert.deepEqual((await service.get('/healthz', { key: null })).body, { status: 'ok' })
  assert.deepEqual((await service.get('/readyz', { key: null })).body, { status: 'ready' })
})

test('only the operator can read metrics', async () => {
  assert.equal((await service.get('/metrics', { key: null })).status, 401)
  assert.equal((await service.get('/metrics')).status, 403)
  const { text: metrics } = await service.operator('GET', '/metrics')
  assert.match(metrics, /sandglass_http_request_seconds_count\{operation="getStats",status="200"\} \d/)
})
