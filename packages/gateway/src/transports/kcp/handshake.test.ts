import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeHandshake, encodeHandshake, type HandshakeMessage, isConv, isHandshake } from './handshake.ts'

const nonce = Buffer.from('0102030405060708', 'hex')
const cookie = Buffer.alloc(36, 9)
const certificate = Buffer.alloc(8, 7)
const conv = 0x12345678
const all: HandshakeMessage[] = [
  { kind: 'hello', nonce },
  { kind: 'cookie', nonce, cookie },
  { kind: 'join', nonce, cookie, certificate },
  { kind: 'welcome', nonce, conv },
  { kind: 'refusal', nonce, reason: 'stale' },
  { kind: 'refusal', nonce, reason: 'full' },
  { kind: 'refusal', nonce, reason: 'unknown' },
  { kind: 'reset', conv },
]

test('each message is decoded as it was encoded', () => {
  for (const message of all) assert.deepEqual(decodeHandshake(encodeHandshake(message)), message)
})

test('the encoding matches docs/kcp.md', () => {
  const hex = (message: HandshakeMessage) => encodeHandshake(message).toString('hex')
  const start = (kind: string) => `53474b31${kind}000000`
  assert.equal(hex({ kind: 'hello', nonce }), `${start('01')}0102030405060708${'00'.repeat(48)}`)
  assert.equal(hex({ kind: 'cookie', nonce, cookie }), `${start('02')}0102030405060708${'09'.repeat(36)}`)
  assert.equal(
    hex({ kind: 'join', nonce, cookie, certificate }),
    `${start('03')}0102030405060708${'09'.repeat(36)}${'07'.repeat(8)}00000000`,
  )
  assert.equal(hex({ kind: 'welcome', nonce, conv }), `${start('04')}010203040506070878563412`)
  assert.equal(hex({ kind: 'refusal', nonce, reason: 'stale' }), `${start('05')}010203040506070801000000`)
  assert.equal(hex({ kind: 'refusal', nonce, reason: 'full' }), `${start('05')}010203040506070802000000`)
  assert.equal(hex({ kind: 'refusal', nonce, reason: 'unknown' }), `${start('05')}010203040506070803000000`)
  assert.equal(hex({ kind: 'reset', conv }), `${start('06')}000000000000000078563412`)
})

test('no response of a listener is larger than its request', () => {
  const size = (message: HandshakeMessage) => encodeHandshake(message).length
  const smallestSegment = 24
  const [hello, given, join, ...answers] = all.map(size)
  assert.ok((given ?? 0) <= (hello ?? 0))
  for (const answer of answers) assert.ok(answer <= (join ?? 0) && answer <= smallestSegment)
})

test('the magic is never a conversation number', () => {
  assert.equal(isConv(encodeHandshake({ kind: 'hello', nonce }).readUInt32LE()), false)
  assert.equal(isConv(0), false)
  assert.equal(isConv(conv), true)
})

test('a datagram of another length or kind is not a handshake message', () => {
  for (const message of all) {
    const datagram = encodeHandshake(message)
    for (let length = 0; length < datagram.length; length++)
      assert.equal(decodeHandshake(datagram.subarray(0, length)), undefined)
    assert.equal(decodeHandshake(Buffer.concat([datagram, Buffer.alloc(1)])), undefined)
  }
  for (const [at, value] of [
    [0, 0],
    [4, 0],
    [4, 7],
    [16, 4],
  ] as const) {
    const refusal = encodeHandshake({ kind: 'refusal', nonce, reason: 'full' })
    refusal[at] = value
    assert.equal(decodeHandshake(refusal), undefined)
  }
})

test('arbitrary bytes are either decoded or rejected', () => {
  const anything = fc.tuple(fc.constantFrom('SGK1', ''), fc.uint8Array({ maxLength: 80 }))
  fc.assert(
    fc.property(anything, ([start, rest]) => {
      const datagram = Buffer.concat([Buffer.from(start), rest])
      if (decodeHandshake(datagram)) assert.ok(isHandshake(datagram))
    }),
  )
})
