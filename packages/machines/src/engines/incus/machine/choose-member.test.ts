import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { KnownMember } from '../members.ts'
import { capacityOf, isFull, takers } from './capacity.ts'
import { chooseMember } from './choose-member.ts'

const spec: MachineSpec = { id: 'a', image: 'minimal', cpus: 1, memoryMiB: 1024, pids: 64, diskMiB: 1000 }
const member = (name: string, more: Partial<KnownMember> = {}): KnownMember => ({
  name,
  status: 'online',
  groups: ['default'],
  cpus: 4,
  memoryMiB: 8192,
  freeMemoryMiB: 4096,
  freeDiskMiB: 10_000,
  hasVirtualMachines: false,
  ...more,
})
const counts: Readonly<Record<string, number>> = { a: 5, b: 3, c: 1 }
const choose = (members: readonly KnownMember[], wanted: Partial<MachineSpec> = {}, group?: string) =>
  chooseMember({ ...spec, ...wanted }, { members, group, countOn: name => counts[name] ?? 0 })

test('Incus chooses if a machine fits on every member, and a preference counts where it fits', () => {
  const all = [member('a'), member('b'), member('c', { status: 'offline' })]
  assert.equal(choose(all), undefined)
  assert.equal(choose(all, { place: { member: 'a' } }), 'a')
  assert.equal(choose(all, { place: { member: 'c' } }), undefined)
})

test('a member without room gets no machine, and of the others the one with the fewest', () => {
  const full = member('c', { freeDiskMiB: 999 })
  assert.equal(choose([member('a'), member('b'), full]), 'b')
  assert.equal(choose([member('a'), member('b'), full], { place: { member: 'c' } }), 'b')
  assert.equal(choose([member('a'), member('b', { freeMemoryMiB: 600 })]), 'a')
  assert.equal(choose([member('a', { memoryMiB: 1000 }), member('b')]), 'b')
  assert.equal(choose([member('a', { groups: ['fast'] }), member('b')], {}, 'fast'), undefined)
})

test('what fits on no member is refused with the reason', () => {
  const refused = (members: readonly KnownMember[], wanted: Partial<MachineSpec>, message: RegExp) =>
    assert.throws(() => choose(members, wanted), { code: 'NO_CAPACITY', message })
  refused([member('a', { status: 'offline' })], {}, /No member of the cluster is online/)
  refused([member('a')], { memoryMiB: 9000 }, /No member of the cluster has 9000 MiB of memory/)
  refused([member('a', { freeMemoryMiB: 520 })], {}, /short of memory/)
  refused([member('a', { freeDiskMiB: 10 })], {}, /storage pools are full/)
  refused([member('a')], { runtime: 'virtual-machine' }, /can run virtual machines: they need KVM/)
})

test('virtual machines are placed on members that can run them', () => {
  const able = member('a', { hasVirtualMachines: true })
  assert.equal(choose([able, member('b')], { runtime: 'virtual-machine' }), 'a')
  assert.throws(() => choose([able], { runtime: 'runsc' }), /runtime must be container or virtual-machine/)
})

test('the capacity is what memory and disks of the members that get machines allow', () => {
  const capacity = (members: readonly KnownMember[], group?: string) =>
    capacityOf(takers(members, group), spec.diskMiB)
  assert.deepEqual(capacity([member('a'), member('b', { status: 'draining' })]), { fits: 10 })
  assert.deepEqual(capacity([member('a', { freeMemoryMiB: 512 + 2 * 96 })]), { fits: 2 })
  assert.deepEqual(capacity([member('a', { freeDiskMiB: undefined, freeMemoryMiB: undefined })]), { fits: 1 })
  assert.match(capacity([member('a')], 'fast').reason ?? '', /is online/)
  assert.deepEqual([member('a'), member('a', { freeMemoryMiB: 100 })].map(isFull), [false, true])
})
