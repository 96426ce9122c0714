import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SecretKeys } from '../../auth/secret-keys.ts'
import { type BrowserClaims, BrowserTokens } from './browser-tokens.ts'

const clock = { at: Date.parse('2026-11-15T00:00:00Z'), now: () => clock.at }
const keys = SecretKeys.generate()
const tokens = new BrowserTokens(keys, clock)
const claims: BrowserClaims = {
  sandboxId: 'sandbox-1',
  epoch: 3,
  credential: { kind: 'apiKey', id: 'key-1', expiresAt: null, secret: 'hash', role: 'member' },
  expiresAt: new Date('2026-11-15T01:00:00Z'),
}

test('a token contains what it allows, and nobody else can read it', async () => {
  const token = await tokens.seal(claims)
  assert.deepEqual(await tokens.open(token), claims)
  const readable = token.split('.').map(part => Buffer.from(part, 'base64url').toString('latin1'))
  assert.doesNotMatch(readable.join(' '), /sandbox-1|key-1|hash/)
})

test('a token that was changed, or comes from another installation, is refused', async () => {
  const token = await tokens.seal(claims)
  const other = new BrowserTokens(SecretKeys.generate(), clock)
  assert.equal(await other.open(token), undefined)
  for (const changed of ['', 'sgb_', 'sgb_a.b.c.d.e', token.slice(4), `${token.slice(0, -4)}AAAA`])
    assert.equal(await tokens.open(changed), undefined, changed)
})

test('a token outlives a rotation of the key, and does not outlive its time', async () => {
  const token = await tokens.seal(claims)
  assert.ok(await new BrowserTokens(keys.rotated(), clock).open(token))
  clock.at = claims.expiresAt.getTime() + 1000
  assert.equal(await tokens.open(token), undefined)
})

test('the token of a bearer token ends with it', async () => {
  clock.at = claims.expiresAt.getTime() - 60_000
  const credential = { kind: 'user', id: 'ada', expiresAt: claims.expiresAt } as const
  const opened = await tokens.open(await tokens.seal({ ...claims, credential }))
  assert.deepEqual(opened?.credential.expiresAt, claims.expiresAt)
})
