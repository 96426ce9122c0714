import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pino from 'pino'
import type { Prepared } from '../db/database.ts'
import { type HeldCredential, heldIn, textOf } from './held-credential.ts'
import { OpenByCredential } from './open-by-credential.ts'

/** The timers of the registry do not keep a process alive by themselves. */
const alive = setInterval(() => {}, 1000)
after(() => clearInterval(alive))

const log = pino({ level: 'silent' })
const key = (id: string): HeldCredential => ({ kind: 'apiKey', id, expiresAt: null })
const user = (expiresAt: number): HeldCredential => ({
  kind: 'user',
  id: 'ada',
  expiresAt: new Date(expiresAt),
})

/** A registry whose database knows these API keys as valid. */
function registry(valid: Set<string>, { isFresh = true } = {}) {
  let failures = 0
  const prepared: Prepared = async <Row extends object>(_name: string, _text: string, ids: unknown) => {
    if (failures-- > 0) throw new Error('the database is away')
    const rows = (ids as string[])
      .filter(id => valid.has(id))
      .map(id => ({ text: `apiKey:${id}`, expires_at: null }))
    return rows as object[] as Row[]
  }
  const open = new OpenByCredential(prepared, { isFresh: () => isFresh }, { now: Date.now }, log)
  return { open, fail: (times: number) => (failures = times) }
}

/** Enters something, and returns a promise of its end. */
function entered(open: OpenByCredential, credential: HeldCredential, changesBefore?: number): Promise<void> {
  return new Promise(resolve => open.enter(credential, resolve, changesBefore))
}

test('a change ends what revoked credentials have open, and nothing else', async () => {
  const { open } = registry(new Set(['kept']))
  let isKept = true
  open.enter(key('kept'), () => {
    isKept = false
  })
  const ended = [entered(open, key('revoked')), entered(open, key('revoked'))]
  assert.equal(open.count, 3)
  open.changed()
  await Promise.all(ended)
  assert.deepEqual([open.count, isKept], [1, true])
})

test('something that is closed is forgotten, and what the same credential opens later is not', async () => {
  const { open } = registry(new Set())
  const leave = open.enter(key('a'), () => assert.fail('it was closed'))
  leave()
  assert.equal(open.count, 0)
  const later = entered(open, key('a'))
  leave()
  assert.equal(open.count, 1)
  open.changed()
  await later
})

test('a credential that was verified before a change is checked again when it enters after the change', async () => {
  const { open } = registry(new Set())
  const { changes } = open
  open.changed()
  await entered(open, key('revoked'), changes)
})

test('the check is repeated until the database answers', async () => {
  const { open, fail } = registry(new Set())
  const ended = entered(open, key('revoked'))
  fail(2)
  open.changed()
  await ended
})

test('a revocation is noticed without an announcement while announcements may be missed', async () => {
  const { open } = registry(new Set(), { isFresh: false })
  await entered(open, key('revoked'))
})

test('what a token of the issuer has open ends when the token expires, and not when another one of the user does', async () => {
  const { open } = registry(new Set())
  let isOpen = true
  open.enter(user(Date.now() + 3_600_000), () => {
    isOpen = false
  })
  await entered(open, user(Date.now() + 50))
  assert.equal(isOpen, true)
  open.close()
})

test('a credential is found again in its text', () => {
  for (const credential of [key('1'), user(1_790_000_000_000), { ...user(17), id: 'a:b\n' }])
    assert.deepEqual(heldIn(textOf(credential)), credential)
  for (const text of ['', 'apiKey:', 'operator:1', 'mcpServer:1', 'user:x:ada', 'user:1:'])
    assert.equal(heldIn(text), undefined, text)
})
