import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignInCode } from '@sandglass/protocol'
import { sql } from 'kysely'
import { signIn } from '../../testing/signed-in.ts'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService({ SANDGLASS_FAILURE_LIMIT: '100000' })
const { db } = service.pool

async function newCode(key?: string): Promise<SignInCode> {
  const { status, body, headers } = await service.post('/api/sign-in-codes', undefined, key ? { key } : {})
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
  return SignInCode.parse(body)
}

async function refusalOf(code: string): Promise<unknown[]> {
  const { status, body, headers } = await service.post('/api/sessions', { code }, { key: null })
  return [status, body.code, headers.getSetCookie()]
}

const invalid = [401, 'session.CODE_INVALID', []]

test('a link signs a browser in once as the one who created it', async () => {
  const viewer = await service.keyOf('viewer')
  const { code, url, expiresAt } = await newCode(viewer)
  assert.equal(url, `${service.service.url}/sign-in#code=${code}`)
  const lasts = Date.parse(expiresAt) - Date.now()
  assert.ok(lasts > 800_000 && lasts <= 905_000)
  const person = await signIn(service, { code })
  assert.deepEqual([person.whoami.role, person.whoami.name], ['viewer', 'viewer'])
  assert.deepEqual(await refusalOf(code), invalid)
  const rows = await db.selectFrom('sign_in_codes').selectAll().execute()
  assert.ok(!JSON.stringify(rows.map(row => ({ ...row, hash: row.hash.toString() }))).includes(code))
})

test('of several who use a link at once, one is signed in', async () => {
  const { code } = await newCode()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.post('/api/sessions', { code }, { key: null })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)])
})

test('an expired link, a link of a revoked key and a guess sign nobody in', async () => {
  const expired = await newCode()
  await sql`UPDATE sign_in_codes SET expires_at = now()`.execute(db)
  assert.deepEqual(await refusalOf(expired.code), invalid)

  const { body: key } = await service.post('~/api-keys', { name: 'gone', role: 'viewer' })
  const ofRevoked = await newCode(key.apiKey)
  await service.remove(`~/api-keys/${key.id}`)
  assert.deepEqual(await refusalOf(ofRevoked.code), invalid)

  const { body: brief } = await service.post('~/api-keys', {
    name: 'brief',
    role: 'viewer',
    expiresInSeconds: 600,
  })
  const ofExpired = await newCode(brief.apiKey)
  await sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${brief.id}`.execute(db)
  assert.deepEqual(await refusalOf(ofExpired.code), [401, 'auth.INVALID', []])

  assert.deepEqual(await refusalOf(`sgc_${'x'.repeat(43)}`), invalid)
})

test('a session cannot create a link, because that would outlast it', async () => {
  const person = await signIn(service)
  const { status, body } = await person.call('POST', '/api/sign-in-codes')
  assert.deepEqual([status, body.code], [403, 'session.NEEDS_CREDENTIAL'])
})

test('the operator signs in with a link too', async () => {
  const { code } = await newCode(service.service.credentials.operatorKey)
  assert.equal((await signIn(service, { code })).whoami.kind, 'operator')
})
