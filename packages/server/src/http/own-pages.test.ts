import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { signIn } from '../testing/signed-in.ts'
import { startTestService } from '../testing/test-service.ts'

const corsOrigin = 'https://app.example.org'
const service = await startTestService({
  SANDGLASS_CORS_ORIGINS: corsOrigin,
  SANDGLASS_ALLOWED_HOSTS: 'sandglass.test',
  SANDGLASS_FAILURE_LIMIT: '100000',
})
const { url, credentials } = service.service
const { apiKey } = credentials
const person = await signIn(service)
const session = { cookie: person.cookie, 'x-sandglass-session': '1' }

/** Sends a request with exactly these headers, as a browser would, and returns the status and the code of the error. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const sent = request(url + service.expand(path), { method, headers: { ...headers } }, response => {
      text(response).then(
        answer => resolve([response.statusCode, answer ? JSON.parse(answer).code : undefined]),
        reject,
      )
    })
    sent.once('upgrade', (_response, socket) => {
      socket.destroy()
      resolve([101, undefined])
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

const projects = async () => (await service.get('~/projects')).body.length
const foreign = [403, 'session.FOREIGN_PAGE']
const json = { 'content-type': 'application/json' }
const project = JSON.stringify({ name: 'made' })

test('pages of the service itself use the session', async () => {
  const ours: Record<string, string>[] = [
    {},
    { origin: url, 'sec-fetch-site': 'same-origin' },
    { origin: 'http://sandglass.test', host: 'sandglass.test' },
  ]
  for (const headers of ours)
    assert.deepEqual(await send('POST', '~/projects', { ...session, ...json, ...headers }, project), [
      200,
      undefined,
    ])
})

const others: Readonly<Record<string, Record<string, string>>> = {
  'without the header': { cookie: person.cookie },
  'with another value of the header': { cookie: person.cookie, 'x-sandglass-session': 'true' },
  'from another site': { ...session, 'sec-fetch-site': 'cross-site' },
  'from a subdomain of the same site': { ...session, 'sec-fetch-site': 'same-site' },
  'from an address bar': { ...session, 'sec-fetch-site': 'none' },
  'from another origin': { ...session, origin: 'https://evil.example' },
  'from another port of the same host': { ...session, origin: 'http://127.0.0.1:1' },
  'from the same host with another protocol': { ...session, origin: url.replace('http:', 'https:') },
  'from a page without an origin': { ...session, origin: 'null' },
  'from an origin that CORS allows': { ...session, origin: corsOrigin },
  'from a page that names another host': { ...session, origin: 'http://other.test', host: 'sandglass.test' },
}

for (const [name, headers] of Object.entries(others))
  test(`a session cannot be used ${name}`, async () => {
    const before = await projects()
    assert.deepEqual(await send('GET', '~/projects', headers), foreign)
    assert.deepEqual(await send('POST', '~/projects', { ...headers, ...json }, project), foreign)
    assert.deepEqual(await send('GET', '/api/whoami', headers), foreign)
    assert.equal(await projects(), before)
  })

test('a form of another page changes nothing', async () => {
  const before = await projects()
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
    const headers = { cookie: person.cookie, 'content-type': type, origin: 'https://evil.example' }
    assert.deepEqual(await send('POST', '~/projects', headers, project), foreign)
  }
  assert.equal(await projects(), before)
})

test('another page cannot sign its visitor in', async () => {
  const body = JSON.stringify({ apiKey })
  const from: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: corsOrigin },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of from)
    assert.deepEqual(await send('POST', '/api/sessions', { ...json, ...headers }, body), foreign)
  const form = { 'content-type': 'text/plain', origin: 'https://evil.example' }
  assert.deepEqual(await send('POST', '/api/sessions', form, body), [415, 'request.UNSUPPORTED_MEDIA_TYPE'])
})

test('pages that CORS allows get no right to send the cookie', async () => {
  const { headers } = await service.call('OPTIONS', '~/projects', {
    key: null,
    headers: { origin: corsOrigin, 'access-control-request-method': 'POST' },
  })
  assert.equal(headers.get('access-control-allow-origin'), corsOrigin)
  assert.equal(headers.get('access-control-allow-credentials'), null)
})

test('several session cookies are refused, because another host may have set one', async () => {
  const other = await signIn(service)
  for (const cookie of [`${person.cookie}; ${other.cookie}`, `${person.cookie}; sandglass-session=x`])
    assert.deepEqual(await send('GET', '~/projects', { ...session, cookie }), [401, 'auth.AMBIGUOUS'])
  const among = `a=1; xsandglass-session=2; ${person.cookie}; sandglass-sessions=3; sandglass-session=`
  assert.deepEqual(await send('GET', '~/projects', { ...session, cookie: among }), [200, undefined])
  assert.deepEqual(await send('GET', '~/projects', { ...session, cookie: 'a=1' }), [401, 'auth.MISSING'])
})

test('a WebSocket is opened in a session only by a page of the service', async () => {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'x'.repeat(22).concat('=='),
    cookie: person.cookie,
  }
  const open = (headers: Record<string, string>) =>
    send('GET', '~/sandboxes/absent/tunnel/80', { ...upgrade, ...headers })
  assert.deepEqual(await open({}), foreign)
  assert.deepEqual(await open({ 'x-sandglass-session': '1' }), foreign)
  assert.deepEqual(await open({ origin: 'https://evil.example' }), foreign)
  assert.deepEqual(await open({ origin: url }), [404, 'sandbox.NOT_FOUND'])
})

test('pictures and downloads of the pages of the service need no header, and those of other pages are refused', async () => {
  const path = '~/sandboxes/absent/files/content?path=x'
  const { cookie } = person
  assert.deepEqual(await send('GET', path, { cookie }), foreign)
  assert.deepEqual(await send('GET', path, { cookie, 'sec-fetch-site': 'same-site' }), foreign)
  assert.deepEqual(await send('GET', path, { cookie, 'sec-fetch-site': 'same-origin' }), [
    404,
    'sandbox.NOT_FOUND',
  ])
})
