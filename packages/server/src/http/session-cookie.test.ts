import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { OwnPages } from './own-pages.ts'
import { SessionCookie } from './session-cookie.ts'

const publicUrl = 'https://sandglass.example.org'
const cookie = new SessionCookie(() => publicUrl)
const name = '__Host-sandglass-session'

test('with TLS only the host of the service can set the cookie, and no other cookie is accepted', async () => {
  const app = Fastify()
  app.get('/', async (_request, reply) => cookie.set(reply, 'sgw_secret', new Date(0)))
  const { headers } = await app.inject('/')
  assert.equal(
    headers['set-cookie'],
    `${name}=sgw_secret; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure`,
  )
  assert.equal(cookie.read(`a=b; ${name}=mine`), 'mine')
  assert.equal(cookie.read('sandglass-session=planted'), undefined)
  assert.equal(cookie.read(`sandglass-session=planted; ${name}=mine`), 'mine')
  assert.throws(() => cookie.read(`${name}=one; ${name}=two`), { code: 'auth.AMBIGUOUS' })
})

test('a node that has no TLS itself accepts the cookie of a node that has, and the other way round', () => {
  const plain = new SessionCookie(() => 'http://127.0.0.1:4780')
  assert.equal(plain.read(`${name}=mine`), undefined)
  assert.equal(plain.readForwarded(`${name}=mine`), 'mine')
  assert.equal(cookie.readForwarded('sandglass-session=mine'), 'mine')
  assert.equal(cookie.readForwarded(undefined), undefined)
})

test('with TLS a page without it is another page, also behind a proxy that ends TLS', async () => {
  const pages = new OwnPages(() => publicUrl)
  const app = Fastify()
  app.get('/', async request => pages.refuseOthers(request))
  const statusOf = async (origin: string, host = '127.0.0.1:4780') =>
    (await app.inject({ url: '/', headers: { origin, host } })).statusCode
  assert.equal(await statusOf(publicUrl), 200)
  assert.equal(await statusOf('https://other.example.org', 'other.example.org'), 200)
  for (const origin of ['http://sandglass.example.org', 'http://127.0.0.1:4780', 'https://evil.example'])
    assert.notEqual(await statusOf(origin), 200, origin)
})
