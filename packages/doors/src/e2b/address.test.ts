import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import { addressIn } from './address.ts'
import { portRefusal } from './ports/refusal.ts'

const sandboxId = '6b403e7f-e96e-4c5b-9296-0af42a58e57f'
const named = { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': '3000' }
const isNoMapping = () => false

test('a port is named by every spelling of its host', () => {
  for (const host of [
    `3000-${sandboxId}.localhost`,
    `3000-${sandboxId}.localhost:1`,
    `3000-${sandboxId.toUpperCase()}.LOCALHOST.:4780`,
  ])
    assert.deepEqual(
      addressIn({ host }, 'localhost:4780', isNoMapping),
      { sandboxId, port: 3000, isHost: true },
      host,
    )
})

test('a host or headers that only resemble those of a port name none', () => {
  for (const host of [
    `0-${sandboxId}.localhost`,
    `65536-${sandboxId}.localhost`,
    `-${sandboxId}.localhost`,
    `3000-${sandboxId}.localhost.evil.example`,
    `x.3000-${sandboxId}.localhost`,
    `3000-${sandboxId}`,
    undefined,
  ])
    assert.equal(addressIn({ ...(host !== undefined && { host }) }, 'localhost', isNoMapping), undefined)
  for (const headers of [
    { 'e2b-sandbox-id': sandboxId },
    { ...named, 'e2b-sandbox-port': '3000, 3001' },
    { ...named, 'e2b-sandbox-id': `${sandboxId}/..` },
  ])
    assert.equal(addressIn(headers, 'localhost', isNoMapping), undefined)
})

test('the host counts before the headers, and the host of a mapping excludes them', () => {
  const host = `49983-${sandboxId}.localhost`
  assert.equal(addressIn({ ...named, host }, 'localhost', isNoMapping)?.port, 49_983)
  assert.deepEqual(addressIn({ ...named, host: '127.0.0.1' }, 'localhost', isNoMapping), {
    sandboxId,
    port: 3000,
    isHost: false,
  })
  assert.equal(
    addressIn({ ...named, host: 'm-1.localhost' }, 'localhost', () => true),
    undefined,
  )
})

test('a program that takes too long is a 504 that names the port', () => {
  const { status, body } = portRefusal(new ApiError('mapping.TIMEOUT'), {
    sandboxId,
    port: 3000,
    isHost: true,
  })
  assert.equal(status, 504)
  assert.deepEqual(JSON.parse(body), {
    sandboxId,
    port: 3000,
    code: 504,
    message: 'The program in the sandbox did not answer in time.',
    reason: 'mapping.TIMEOUT',
  })
})
