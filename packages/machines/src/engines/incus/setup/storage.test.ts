import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseStorage, type StorageHost, type StorageWish } from './storage.ts'

const host: StorageHost = {
  incusDir: '/var/lib/incus',
  isOnBtrfs: false,
  freeGiB: 100,
  drivers: ['dir', 'btrfs'],
  kernelHasBtrfs: true,
}

function choice(wish: StorageWish, found: Partial<StorageHost> = {}) {
  const { driver, config } = chooseStorage(wish, { ...host, ...found }, 'sandglass')
  return [driver, config]
}

test('a pool is on the disk that was given, on a btrfs that is there, or in a file', () => {
  assert.deepEqual(choice({ source: '/dev/sdb' }), ['btrfs', { source: '/dev/sdb' }])
  assert.deepEqual(choice({}, { isOnBtrfs: true }), [
    'btrfs',
    { source: '/var/lib/incus/storage-pools/sandglass' },
  ])
  assert.deepEqual(choice({}), ['btrfs', { size: '50GiB' }])
  assert.deepEqual(choice({ sizeGiB: 20 }, { isOnBtrfs: true }), ['btrfs', { size: '20GiB' }])
})

test('ZFS comes before plain folders, which come last and with a warning', () => {
  assert.deepEqual(choice({}, { drivers: ['dir', 'zfs'] }), ['zfs', { size: '50GiB' }])
  assert.deepEqual(choice({ driver: 'zfs', source: 'tank/sandglass' }, { drivers: ['zfs', 'btrfs'] }), [
    'zfs',
    { source: 'tank/sandglass' },
  ])
  assert.deepEqual(choice({}, { kernelHasBtrfs: false }), ['dir', {}])
  assert.match(chooseStorage({ driver: 'dir' }, host, 'sandglass').where, /ten times slower/)
})

test('what cannot be had is refused with what to do', () => {
  assert.throws(() => choice({ driver: 'zfs' }), /cannot use zfs on this box, only dir, btrfs\. Install zfs/)
  assert.throws(
    () => choice({}, { freeGiB: 8 }),
    /8 GiB free .* at least 5 GiB\. Give it a disk with --source/,
  )
  assert.throws(() => choice({ source: '/dev/sdb' }, { drivers: ['dir'] }), /--source \/dev\/sdb cannot be/)
})
