import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { generateKeyPair } from 'jose'
import { sql } from 'kysely'
import { type Misbehaviour, TestIssuer } from '../../../testing/issuer.ts'
import { SignedIn } from '../../../testing/signed-in.ts'
import { startTestService } from '../../../testing/test-service.ts'

const issuer = await TestIssuer.start()
const service = await startTestService({ ...issuer.env, SANDGLASS_FAILURE_LIMIT: '100000' })
const { url } = service.service
const member = { sandglass_org: service.orgId, sandglass_role: 'member' }

after(() => {
  issuer.misbehaviour = {}
})

const open = (address: string, cookie = '') =>
  fetch(address, { redirect: 'manual', headers: cookie ? { cookie } : {} })

const locationOf = (response: Response) => response.headers.get('location') ?? ''

/** The cookies that a response sets, as name=value; cookies that it clears have no value. */
function cookiesOf(response: Response): Record<string, string> {
  const pairs = response.headers.getSetCookie().map(cookie => (cookie.split(';')[0] ?? '').split('='))
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}

/** Goes to the issuer and back, up to the request with which the issuer sends the browser back. */
async function goToIssuer(to = '/sandboxes?status=RUNNING', misbehaviour: Misbehaviour = { claims: member }) {
  issuer.misbehaviour = misbehaviour
  const begun = await open(`${url}/sign-in/openid?to=${encodeURIComponent(to)}`)
  assert.equal(begun.status, 303)
  const attempt = `sandglass-sign-in=${cookiesOf(begun)['sandglass-sign-in']}`
  const callback = locationOf(await open(locationOf(begun)))
  return { begun, attempt, callback }
}

async function signInAt(misbehaviour?: Misbehaviour): Promise<SignedIn> {
  const { attempt, callback } = await goToIssuer('/', misbehaviour)
  const back = await open(callback, attempt)
  const cookie = `sandglass-session=${cookiesOf(back)['sandglass-session']}`
  const headers = { cookie, 'x-sandglass-session': '1' }
  return new SignedIn(service, cookie, (await service.get('/api/whoami', { key: null, headers })).body)
}

const problemOf = (response: Response) => /#error=(.*)$/.exec(locationOf(response))?.[1]

test('the sign-in page learns that there is an issuer', async () => {
  const { body } = await service.get('/api/sign-in', { key: null })
  assert.deepEqual(body, { apiKey: true, openIdConnect: { name: 'Example' } })
})

test('a person signs in with a code, PKCE, a state and a nonce, and returns to the page', async () => {
  const { begun, attempt, callback } = await goToIssuer()
  const sent = new URL(locationOf(begun)).searchParams
  assert.equal(sent.get('response_type'), 'code')
  assert.equal(sent.get('code_challenge_method'), 'S256')
  assert.ok(sent.get('code_challenge') && sent.get('state') && sent.get('nonce'))
  assert.match(begun.headers.getSetCookie()[0] ?? '', /; Path=\/; .*HttpOnly; SameSite=Lax$/)
  for (const secret of ['state', 'nonce'])
    assert.ok(!attempt.includes(sent.get(secret) ?? ''), 'the cookie is encrypted')

  const back = await open(callback, attempt)
  assert.deepEqual([back.status, locationOf(back)], [303, '/sandboxes?status=RUNNING'])
  assert.equal(cookiesOf(back)['sandglass-sign-in'], '')
  const cookie = `sandglass-session=${cookiesOf(back)['sandglass-session']}`
  const { body } = await service.get('/api/whoami', {
    key: null,
    headers: { cookie, 'x-sandglass-session': '1' },
  })
  assert.deepEqual(
    [body.kind, body.id, body.name, body.role, body.organization.id],
    ['user', 'ada', 'Ada Lovelace', 'member', service.orgId],
  )
  // The ID token is valid for 5 minutes, and the access token for one.
  const lasts = Date.parse(body.session.expiresAt) - Date.parse(body.session.createdAt)
  assert.ok(lasts > 240_000 && lasts <= 301_000, `${lasts}`)
  const { body: log } = await service.get(`~/audit-log?target=${body.session.id}`)
  assert.deepEqual(
    [log.entries[0].operation, log.entries[0].actor],
    ['createSession', { kind: 'user', id: 'ada' }],
  )
})

test('the answer of the issuer is accepted once, and only from the browser that began', async () => {
  const { attempt, callback } = await goToIssuer()
  assert.equal(problemOf(await open(callback)), 'session.ATTEMPT_INVALID')
  const other = await goToIssuer()
  assert.equal(problemOf(await open(callback, other.attempt)), 'session.ATTEMPT_INVALID')
  const both = `${attempt}; ${other.attempt}`
  assert.equal(problemOf(await open(callback, both)), 'session.ATTEMPT_INVALID')
  assert.equal(problemOf(await open(callback, 'sandglass-sign-in=forged')), 'session.ATTEMPT_INVALID')
  assert.equal(
    problemOf(await open(callback.replace(/state=[^&]*/, 'state=x'), attempt)),
    'session.ATTEMPT_INVALID',
  )
  assert.equal(problemOf(await open(callback, attempt)), undefined)
  assert.equal(problemOf(await open(callback, attempt)), 'session.ISSUER_REFUSED')
})

const { privateKey: otherKey } = await generateKeyPair('RS256')
const refused: readonly [string, Misbehaviour, string][] = [
  ['the person declines', { isDenied: true }, 'session.ISSUER_REFUSED'],
  ['the nonce is of another attempt', { claims: member, nonce: 'other' }, 'session.ISSUER_REFUSED'],
  ['the token is for another client', { claims: member, audience: 'other' }, 'session.ISSUER_REFUSED'],
  ['the token has expired', { claims: member, expires: '-5m' }, 'session.ISSUER_REFUSED'],
  ['the token is signed with another key', { claims: member, key: otherKey }, 'session.ISSUER_REFUSED'],
  ['the token names no organization', { claims: {} }, 'session.NO_ORGANIZATION'],
  ['the organization does not exist', { claims: { sandglass_org: 'nobody' } }, 'session.NO_ORGANIZATION'],
  [
    'the role does not exist',
    { claims: { ...member, sandglass_role: 'emperor' } },
    'session.NO_ORGANIZATION',
  ],
]

for (const [name, misbehaviour, code] of refused)
  test(`nobody is signed in if ${name}`, async () => {
    const { attempt, callback } = await goToIssuer('/', misbehaviour)
    const back = await open(callback, attempt)
    assert.deepEqual([back.status, problemOf(back)], [303, code])
    assert.ok(locationOf(back).startsWith(`${url}/sign-in#`))
    assert.equal(cookiesOf(back)['sandglass-session'], undefined)
  })

test('a link to the sign-in cannot lead to another site', async () => {
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    'sandboxes',
    '',
    `/${'x'.repeat(3000)}`,
  ]
  for (const to of elsewhere) {
    const response = await open(`${url}/sign-in/openid?to=${encodeURIComponent(to)}`)
    assert.equal(response.status, 400, to)
    assert.match(await response.text(), /"code":"request.INVALID"/)
  }
  assert.equal((await open(`${url}/sign-in/openid?to=/a&to=/b`)).status, 400)
})

test('the session of a user has the role of the claims, is listed, and can be ended', async () => {
  const person = await signInAt()
  assert.equal((await person.get('~/stats')).status, 200)
  assert.equal((await person.get('~/api-keys')).status, 403)
  assert.deepEqual(
    (await person.get('/api/sessions')).body
      .map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
      .filter(Boolean),
    [true],
  )
  const { body: all } = await service.get('~/sessions')
  const listed = all.find(({ id }: { id: string }) => id === person.id)
  assert.deepEqual(listed.holder, { kind: 'user', id: 'ada', name: 'Ada Lovelace' })
  assert.equal((await service.delete(`~/sessions/${person.id}`)).status, 200)
  assert.equal((await person.get('~/stats')).body.code, 'session.ENDED')
})

test('what a user has open ends with the session', async () => {
  const person = await signInAt()
  const stream = await fetch(url + service.expand('~/events'), {
    headers: { ...person.headers, accept: 'text/event-stream' },
  })
  assert.equal(stream.status, 200)
  await sql`UPDATE sessions SET expires_at = now() WHERE id = ${person.id}`.execute(service.pool.db)
  await stream.text().catch(() => '')
  await waitFor(async () => (await person.get('~/stats')).body?.code === 'session.ENDED')
})

test('a person whose issuer does not answer is told so', async () => {
  const silent = await startTestService({ ...issuer.env, SANDGLASS_OIDC_ISSUER: 'http://127.0.0.1:9' })
  const response = await open(`${silent.service.url}/sign-in/openid`)
  assert.deepEqual([response.status, problemOf(response)], [303, 'session.ISSUER_UNAVAILABLE'])
})
