import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJoinToken } from './join-token.ts'

const content = {
  server_name: 'box2',
  fingerprint: 'a6'.repeat(32),
  addresses: ['10.0.0.1:8443'],
  secret: 'c0ffee',
  expires_at: '2030-01-01T00:00:00.123456789Z',
}
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')
const early = new Date('2029-01-01')

test('a token of `incus cluster add` is as good as one of ours, which also tells the kind of pool', () => {
  const { name, driver } = readJoinToken(` ${encode(content)}\n`, early)
  assert.deepEqual([name, driver], ['box2', 'btrfs'])
  assert.equal(readJoinToken(encode({ ...content, storage: 'zfs' }), early).driver, 'zfs')
})

test('half a token and an old token are told apart', () => {
  const token = encode(content)
  assert.throws(() => readJoinToken(token.slice(0, 50), early), /not a join token\. Copy all/)
  assert.throws(() => readJoinToken('hello', early), /not a join token/)
  assert.throws(() => readJoinToken(token, new Date('2031-01-01')), /expired at 2030-01-01.*token box2/)
})
