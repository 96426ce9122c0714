import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeSubnet } from './network.ts'

test('machines get a network that no interface of the box has a part of', () => {
  assert.equal(freeSubnet([{ address: '192.168.1.5', prefix: 24 }]), '100.64')
  // One address of a VPN is enough, and so is a network that contains the whole range.
  assert.equal(freeSubnet([{ address: '100.64.7.1', prefix: 32 }]), '100.65')
  assert.equal(freeSubnet([{ address: '100.65.0.1', prefix: 15 }]), '100.66')
  assert.throws(() => freeSubnet([{ address: '100.99.0.1', prefix: 10 }]), /All of 100\.64\.0\.0\/10 is used/)
})
