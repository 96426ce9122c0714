import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import { MappingTokens } from '@sandglass/mappings'
import { DatabaseClock } from '../db/clock.ts'
import { EndUserTokens } from './end-user-tokens.ts'
import { EnvironmentSeal } from './environment-seal.ts'
import { SecretKeys } from './secret-keys.ts'

const old = SecretKeys.generate()
const rotated = old.rotated()
const clock = new DatabaseClock()
clock.learn(Date.now(), performance.now())

const spec = {
  id: 'sandbox-1',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 512,
  pids: 100,
  screen: { width: 800, height: 600 },
  egress: 'internet',
  env: { PASSWORD: 'hunter2' },
} as const

test('keys are read from lines or a list, and anything else in it is refused', () => {
  const two = rotated.text.trim().replace('\n', ',')
  assert.deepEqual(SecretKeys.parse(two)?.ids, rotated.ids)
  assert.deepEqual(SecretKeys.parse(`# the new one first\n${rotated.text}`)?.ids, rotated.ids)
  for (const text of ['', '# nothing', 'sgs_short', `${rotated.text} and more`])
    assert.equal(SecretKeys.parse(text), undefined, text)
})

test('a live token of the old key is valid until the key is removed, and new ones are signed with the new key', async () => {
  const claims = {
    room: 'r',
    scope: ['view'],
    holder: 'apiKey:1',
    epoch: 0,
    person: 'p',
    expiresAt: new Date(Date.now() + 3_600_000),
  } as const
  const before = await new EndUserTokens(old, clock).sign(claims)
  const during = new EndUserTokens(rotated, clock)
  assert.equal((await during.read(before)).room, 'r')
  const after = new EndUserTokens(rotated.newestOnly(), clock)
  assert.equal((await after.read(await during.sign(claims))).room, 'r')
  await assert.rejects(after.read(before), { code: 'live.TOKEN_INVALID' })
})

test("a mapping's token of the old key is accepted until the key is removed", () => {
  const tokensOf = (keys: SecretKeys) => {
    const [newest, ...older] = keys.derive('mapping tokens').map(key => createSecretKey(key))
    return new MappingTokens(newest ?? assert.fail(), ...older)
  }
  const [before, during, after] = [tokensOf(old), tokensOf(rotated), tokensOf(rotated.newestOnly())]
  assert.equal(during.of('m', 'key'), after.of('m', 'key'))
  assert.equal(during.holderOf('m', before.of('m', 'key')), 'key')
  assert.equal(after.holderOf('m', before.of('m', 'key')), undefined)
  assert.equal(after.holderOf('m', during.of('m', 'key')), 'key')
})

test('an environment is unreadable in the stored spec, and belongs to its machine', () => {
  const seal = new EnvironmentSeal(old)
  const stored = seal.seal(spec)
  assert.doesNotMatch(JSON.stringify(stored), /hunter2|PASSWORD/)
  assert.deepEqual(seal.open(stored), spec)
  assert.notEqual(seal.seal(spec).sealedEnv, stored.sealedEnv)
  assert.throws(() => seal.open({ ...stored, id: 'sandbox-2' }))
})

test('an environment of the old key is readable and outdated until the key is removed', () => {
  const stored = new EnvironmentSeal(old).seal(spec)
  const during = new EnvironmentSeal(rotated)
  assert.deepEqual([during.isOutdated(stored), during.isOutdated(during.seal(spec))], [true, false])
  assert.deepEqual(during.open(stored), spec)
  const after = new EnvironmentSeal(rotated.newestOnly())
  assert.throws(() => after.open(stored), MachineError)
  assert.deepEqual(after.open(during.seal(spec)), spec)
})
