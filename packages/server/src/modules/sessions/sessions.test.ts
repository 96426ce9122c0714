import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { OrganizationSession, Session, Whoami } from '@sandglass/protocol'
import { sql } from 'kysely'
import { type SignedIn, signIn } from '../../testing/signed-in.ts'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService({ SANDGLASS_FAILURE_LIMIT: '100000' })
const { db } = service.pool
const { apiKey, operatorKey } = service.service.credentials

async function newKey(role = 'member', choices: object = {}): Promise<{ id: string; apiKey: string }> {
  const { body } = await service.post('~/api-keys', { name: `a ${role}`, role, ...choices })
  return body
}

test('whoami tells each kind of caller who it is', async () => {
  const key = await newKey('viewer', { expiresInSeconds: 3600 })
  const asKey = Whoami.parse((await service.get('/api/whoami', { key: key.apiKey })).body)
  assert.deepEqual(
    [asKey.kind, asKey.id, asKey.name, asKey.role, asKey.session],
    ['apiKey', key.id, 'a viewer', 'viewer', null],
  )
  assert.deepEqual(asKey.organization, { id: service.orgId, name: 'First organization' })
  assert.ok(asKey.expiresAt !== null)

  const asOperator = Whoami.parse((await service.operator('GET', '/api/whoami')).body)
  assert.deepEqual([asOperator.kind, asOperator.role, asOperator.organization], ['operator', null, null])

  const { body: trial } = await service.post('~/trial-tokens', {
    name: 'a guest',
    shapeNames: ['linux-desktop'],
  })
  const headers = { 'x-trial-session-token': trial.trialToken }
  const asTrial = Whoami.parse((await service.get('/api/whoami', { key: null, headers })).body)
  assert.deepEqual([asTrial.kind, asTrial.name, asTrial.role], ['trialToken', trial.name ?? null, 'member'])
})

test('a session acts as the credential that it stands for, of every kind', async () => {
  const person = await signIn(service)
  const { body } = await person.get('/api/whoami')
  assert.deepEqual([body.kind, body.role, body.session.id], ['apiKey', 'owner', person.id])
  assert.equal((await person.get('~/stats')).status, 200)
  const made = await person.call('POST', '~/projects', { body: { name: 'by a person' } })
  assert.equal(made.status, 200)
  const { body: log } = await service.get(`~/audit-log?target=${made.body.id}`)
  assert.deepEqual(log.entries[0].actor, { kind: 'apiKey', id: body.id })

  const operator = await signIn(service, { apiKey: operatorKey })
  assert.equal((await operator.get('/api/operator/nodes')).status, 200)
  assert.equal((await operator.get('~/stats')).body.code, 'organization.NOT_FOUND')

  const { body: trial } = await service.post('~/trial-tokens', { shapeNames: ['linux-desktop'] })
  const guest = await signIn(service, { apiKey: trial.trialToken })
  assert.equal((await guest.get('~/sandboxes')).status, 200)
  assert.equal((await guest.get('~/api-keys')).status, 403)
})

test('the cookie is hidden from scripts, limited to the host, and stored only as a hash', async () => {
  const { headers, text } = await service.post('/api/sessions', { apiKey }, { key: null })
  const [cookie = '', ...more] = headers.getSetCookie()
  assert.equal(more.length, 0)
  const [pair = '', ...attributes] = cookie.split('; ')
  assert.match(pair, /^sandglass-session=sgw_[\w-]{43}$/)
  assert.deepEqual(attributes.map(attribute => attribute.replace(/=.*GMT$/, '')).sort(), [
    'Expires',
    'HttpOnly',
    'Path=/',
    'SameSite=Strict',
  ])
  assert.equal(headers.get('cache-control'), 'no-store')
  const secret = pair.split('=')[1] ?? ''
  assert.ok(!text.includes(secret))
  const rows = await db.selectFrom('sessions').selectAll().execute()
  assert.ok(!JSON.stringify(rows.map(row => ({ ...row, hash: row.hash.toString() }))).includes(secret))
  for (const name of ['x-api-key', 'authorization', 'x-trial-session-token']) {
    const value = name === 'authorization' ? `Bearer ${secret}` : secret
    assert.equal((await service.get('~/stats', { key: null, headers: { [name]: value } })).status, 401, name)
  }
})

test('a wrong key, a revoked key and a body without one begin no session', async () => {
  const gone = await newKey()
  await service.remove(`~/api-keys/${gone.id}`)
  for (const wrong of [`sgk_${'x'.repeat(43)}`, 'nonsense', gone.apiKey]) {
    const { status, body, headers } = await service.post('/api/sessions', { apiKey: wrong }, { key: null })
    assert.deepEqual([status, body.code, headers.getSetCookie()], [401, 'auth.INVALID', []])
  }
  for (const body of [{}, { apiKey: 1 }, { apiKey, code: 'x' }, [], { apiKey: '' }])
    assert.equal((await service.post('/api/sessions', body, { key: null })).body.code, 'request.INVALID')
})

test('a new session has a new secret whatever the browser sent, and the earlier one ends', async () => {
  const chosen = `sandglass-session=sgw_${'a'.repeat(43)}`
  const first = await signIn(service, { apiKey }, { headers: { cookie: chosen } })
  assert.notEqual(first.cookie, chosen)
  const fixed = await service.get('~/stats', { key: null, headers: { ...first.headers, cookie: chosen } })
  assert.deepEqual([fixed.status, fixed.body.code], [401, 'session.ENDED'])
  const second = await signIn(service, { apiKey }, { headers: { cookie: first.cookie } })
  assert.notEqual(second.cookie, first.cookie)
  assert.equal((await second.get('~/stats')).status, 200)
  assert.equal((await first.get('~/stats')).body.code, 'session.ENDED')
})

test('a person lists and ends the sessions of their credential, and no others', async () => {
  const key = await newKey('viewer')
  const here = await signIn(service, { apiKey: key.apiKey }, { headers: { 'user-agent': 'a browser' } })
  const there = await signIn(service, { apiKey: key.apiKey })
  const other = await signIn(service)
  const listed = Session.array().parse((await here.get('/api/sessions')).body)
  assert.deepEqual(
    listed.map(({ id, isCurrent }) => [id, isCurrent]),
    [
      [there.id, false],
      [here.id, true],
    ],
  )
  assert.deepEqual([listed[1]?.userAgent, listed[1]?.address], ['a browser', '127.0.0.1'])
  const stranger = await here.call('DELETE', `/api/sessions/${other.id}`)
  assert.deepEqual([stranger.status, stranger.body.code], [404, 'session.NOT_FOUND'])
  assert.equal((await here.call('DELETE', `/api/sessions/${there.id}`)).status, 200)
  assert.equal((await there.get('~/stats')).body.code, 'session.ENDED')
  const left = await here.call('DELETE', '/api/sessions/current')
  assert.equal(left.status, 200)
  assert.match(left.headers.getSetCookie()[0] ?? '', /^sandglass-session=; .*Expires=Thu, 01 Jan 1970/)
  assert.equal((await here.get('~/stats')).body.code, 'session.ENDED')
  assert.equal((await other.get('~/stats')).status, 200)
  assert.equal((await service.delete('/api/sessions/current')).body.code, 'session.NOT_FOUND')
})

test('admins list and end the sessions of their organization, and the audit log has both ends', async () => {
  const key = await newKey('member')
  const person = await signIn(service, { apiKey: key.apiKey })
  const admin = await service.keyOf('admin')
  const { body } = await service.get('~/sessions', { key: admin })
  const found = OrganizationSession.array()
    .parse(body)
    .find(({ id }) => id === person.id)
  assert.deepEqual(found?.holder, { kind: 'apiKey', id: key.id, name: 'a member' })
  assert.equal((await service.get('~/sessions', { key: key.apiKey })).status, 403)
  const another = await service.otherOrganization()
  const foreign = { key: another.apiKey }
  assert.deepEqual((await service.get(`/api/orgs/${another.orgId}/sessions`, foreign)).body, [])
  const smuggled = await service.delete(`/api/orgs/${another.orgId}/sessions/${person.id}`, foreign)
  assert.equal(smuggled.body.code, 'session.NOT_FOUND')
  assert.equal((await service.delete(`~/sessions/${person.id}`, { key: admin })).status, 200)
  assert.equal((await person.get('~/stats')).body.code, 'session.ENDED')
  const { body: log } = await service.get(`~/audit-log?target=${person.id}`)
  assert.deepEqual(
    log.entries.map(({ operation, outcome }: Record<string, string>) => [operation, outcome]).reverse(),
    [
      ['createSession', 'done'],
      ['endOrganizationSession', 'done'],
    ],
  )
  assert.deepEqual(log.entries.at(-1).actor, { kind: 'apiKey', id: key.id })
})

test('a session ends with its key, and what it has open ends too', async () => {
  const key = await newKey()
  const person = await signIn(service, { apiKey: key.apiKey })
  const stream = await fetch(`${service.service.url}${service.expand('~/events')}`, {
    headers: { ...person.headers, accept: 'text/event-stream' },
  })
  assert.equal(stream.status, 200)
  await service.remove(`~/api-keys/${key.id}`)
  assert.equal((await person.get('~/stats')).body.code, 'session.ENDED')
  await stream.text().catch(() => '')
  assert.deepEqual(await db.selectFrom('sessions').select('id').where('id', '=', person.id).execute(), [])
})

test('what a session has open ends with the session, and what the key itself has open does not', async () => {
  const key = await newKey()
  const person = await signIn(service, { apiKey: key.apiKey })
  const url = `${service.service.url}${service.expand('~/events')}`
  const inSession = await fetch(url, { headers: { ...person.headers, accept: 'text/event-stream' } })
  const abort = new AbortController()
  const withKey = await fetch(url, {
    headers: { 'x-api-key': key.apiKey, accept: 'text/event-stream' },
    signal: abort.signal,
  })
  let isOver = false
  const ended = withKey.text().then(
    () => {
      isOver = true
    },
    () => {},
  )
  await service.delete(`~/sessions/${person.id}`)
  await inSession.text().catch(() => '')
  assert.equal(isOver, false)
  abort.abort()
  await ended
})

test('a changed role counts at once in a session', async () => {
  const key = await newKey('admin')
  const person = await signIn(service, { apiKey: key.apiKey })
  assert.equal((await person.get('~/api-keys')).status, 200)
  await sql`UPDATE api_keys SET role = 'viewer' WHERE id = ${key.id}`.execute(db)
  await waitFor(async () => (await person.get('~/api-keys')).status === 403)
  assert.equal((await person.get('/api/whoami')).body.role, 'viewer')
  await sql`UPDATE api_keys SET role = 'admin' WHERE id = ${key.id}`.execute(db)
  await waitFor(async () => (await person.get('~/api-keys')).status === 200)
})

test('a session ends with the expiry of its key, at its own end, and when it is not used', async () => {
  const brief = await newKey('viewer', { expiresInSeconds: 600 })
  const ofBrief = await signIn(service, { apiKey: brief.apiKey })
  const { body: who } = await service.get('/api/whoami', { key: brief.apiKey })
  assert.equal(ofBrief.whoami.session.expiresAt, who.expiresAt)
  await sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${brief.id}`.execute(db)
  await waitFor(async () => (await ofBrief.get('~/stats')).body?.code === 'session.ENDED')

  const old = await signIn(service)
  const lasts = Date.parse(old.whoami.session.expiresAt) - Date.parse(old.whoami.session.createdAt)
  assert.equal(lasts, 12 * 3_600_000)
  await sql`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = ${old.id}`.execute(db)
  await waitFor(async () => (await old.get('~/stats')).body?.code === 'session.ENDED')

  const idle = await signIn(service)
  // Setting the expiry announces the change, as the cache of a minute would otherwise hide it.
  await sql`UPDATE sessions SET last_used_at = now() - interval '3 hours', expires_at = expires_at WHERE id = ${idle.id}`.execute(
    db,
  )
  await waitFor(async () => (await idle.get('~/stats')).body?.code === 'session.ENDED')
  const { body: listed } = await service.get('/api/sessions')
  assert.ok(!listed.some(({ id }: Session) => id === idle.id || id === old.id))
})

test('the use of a session is recorded, also while it only has something open', async () => {
  const person = await signIn(service)
  const abort = new AbortController()
  const stream = await fetch(`${service.service.url}${service.expand('~/events')}`, {
    headers: { ...person.headers, accept: 'text/event-stream' },
    signal: abort.signal,
  })
  await service.service.flush()
  await sql`UPDATE sessions SET last_used_at = now() - interval '1 hour' WHERE id = ${person.id}`.execute(db)
  const before = Date.now() - 1800_000
  await service.service.flush()
  const { body } = await service.get('/api/sessions')
  assert.ok(Date.parse(body.find(({ id }: Session) => id === person.id).lastUsedAt) > before)
  abort.abort()
  await stream.text().catch(() => '')
})

test('a key in a header counts instead of the cookie', async () => {
  const person = await signIn(service, { apiKey: operatorKey })
  const both = await service.get('/api/whoami', { headers: person.headers })
  assert.deepEqual([both.body.kind, both.body.session], ['apiKey', null])
  const wrong = await service.get('/api/whoami', { key: 'sgk_wrong', headers: person.headers })
  assert.equal(wrong.body.code, 'auth.INVALID')
})

test('a credential has at most a hundred sessions, and another one ends the oldest', async () => {
  const key = await newKey('viewer')
  const first = await signIn(service, { apiKey: key.apiKey })
  for (let i = 0; i < 100; i++) await signIn(service, { apiKey: key.apiKey })
  assert.equal((await service.get('/api/sessions', { key: key.apiKey })).body.length, 100)
  assert.equal((await first.get('~/stats')).body.code, 'session.ENDED')
})

test('without an issuer there is no sign-in with OpenID Connect', async () => {
  const { body } = await service.get('/api/sign-in', { key: null })
  assert.deepEqual(body, { apiKey: true, openIdConnect: null })
  assert.equal((await service.get('/sign-in/openid', { key: null })).status, 404)
})

test('a session of somebody on this host is worth nothing elsewhere', async () => {
  const proxied = await startTestService({ SANDGLASS_TRUSTED_PROXIES: '127.0.0.1' })
  const { apiKey } = proxied.service.credentials
  const statusFrom = async (person: SignedIn, address?: string) => {
    const request = address === undefined ? {} : { headers: { 'x-forwarded-for': address } }
    return (await person.get('~/stats', request)).status
  }
  const here = await signIn(proxied, { apiKey })
  assert.equal(await statusFrom(here), 200)
  assert.equal(await statusFrom(here, '203.0.113.9'), 401)
  const elsewhere = await signIn(proxied, { apiKey }, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  assert.equal(await statusFrom(elsewhere, '203.0.113.9'), 200)
  assert.equal(await statusFrom(elsewhere, '203.0.113.10'), 200)
})
