import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Marks } from './mark.ts'

const key = Buffer.alloc(32, 1)
const start = 1_790_000_000_000
let now = start
const [a, b, outsider] = [
  new Marks([key], 'a', () => now),
  new Marks([key], 'b', () => now),
  new Marks([Buffer.alloc(32, 2)], 'b', () => now),
]
const client = { address: '203.0.113.7', protocol: 'https' } as const
const bound = { to: 'b', method: 'POST', path: '/api/x?y=1' }

function received(mark: string | undefined, { method = 'POST', url = '/api/x?y=1' } = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.url = url
  if (mark !== undefined) request.headers['x-sandglass-forwarded'] = mark
  return request
}

test('a mark that was made with the shared key proves who the client is', () => {
  assert.deepEqual(b.of(received(a.make(bound, client))), { kind: 'proven', client })
  const lan = { address: 'fe80::1%eth0', protocol: 'http' } as const
  assert.deepEqual(b.of(received(a.make(bound, lan))), { kind: 'proven', client: lan })
})

test('a mark that was made with another key, or for another node, path or method, proves nothing', () => {
  assert.equal(b.of(received(outsider.make(bound, client))).kind, 'unproven')
  const mark = a.make(bound, client)
  assert.equal(a.of(received(mark)).kind, 'unproven')
  assert.equal(b.of(received(mark, { url: '/api/x?y=2' })).kind, 'unproven')
  assert.equal(b.of(received(mark, { method: 'GET' })).kind, 'unproven')
  assert.equal(b.of(received(mark.replace('203.0.113.7', '203.0.113.8'))).kind, 'unproven')
  assert.equal(b.of(received(mark.replace('https', 'http'))).kind, 'unproven')
})

test('a mark expires, so an intercepted one cannot be used later', () => {
  const mark = a.make(bound, client)
  now = start + 59_000
  assert.equal(b.of(received(mark)).kind, 'proven')
  now = start + 61_000
  assert.equal(b.of(received(mark)).kind, 'unproven')
  now = start
})

test('a header that does not have the format of a mark counts as no mark', () => {
  for (const text of [undefined, '', '1', 'true', 'a b c d', `${a.make(bound, client)}, more`])
    assert.equal(b.of(received(text)).kind, 'none', text)
})

test('an address with invalid characters does not break the mark', () => {
  const odd = { address: 'unknown, "x y"', protocol: 'http' } as const
  const mark = b.of(received(a.make(bound, odd)))
  assert.deepEqual(mark, { kind: 'proven', client: { address: 'unknownxy', protocol: 'http' } })
})
