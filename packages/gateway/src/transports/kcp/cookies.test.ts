import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cookies } from './cookies.ts'

const remote = { address: '192.0.2.7', port: 4000 }
const nonce = Buffer.alloc(8, 1)

test('a cookie is valid for its address, port and nonce until it expires', () => {
  const cookies = new Cookies(1000)
  const cookie = cookies.issue(remote, nonce, 5000)
  assert.equal(cookie.length, 36)
  assert.equal(cookies.isValid(cookie, remote, nonce, 5000), true)
  assert.equal(cookies.isValid(cookie, remote, nonce, 6000), true)
  assert.equal(cookies.isValid(cookie, remote, nonce, 6001), false)
  assert.equal(cookies.isValid(cookie, remote, nonce, 4999), false)
  assert.equal(cookies.isValid(cookie, { ...remote, address: '192.0.2.8' }, nonce, 5000), false)
  assert.equal(cookies.isValid(cookie, { ...remote, port: 4001 }, nonce, 5000), false)
  assert.equal(cookies.isValid(cookie, remote, Buffer.alloc(8, 2), 5000), false)
})

test('a cookie with any changed byte, or from another listener, is invalid', () => {
  const cookies = new Cookies(1000)
  const cookie = cookies.issue(remote, nonce, 5000)
  for (let at = 0; at < cookie.length; at++) {
    const changed = Buffer.from(cookie)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.equal(cookies.isValid(changed, remote, nonce, 5000), false)
  }
  assert.equal(new Cookies(1000).isValid(cookie, remote, nonce, 5000), false)
})

test('a cookie stays valid when the 32-bit clock wraps around', () => {
  const cookies = new Cookies(1000)
  const cookie = cookies.issue(remote, nonce, 2 ** 32 - 10)
  assert.equal(cookies.isValid(cookie, remote, nonce, 2 ** 32 + 10), true)
})
