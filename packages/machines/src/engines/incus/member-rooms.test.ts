import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IncusClient } from './client/index.ts'
import { FakeIncus } from './client/testing/fake-incus.ts'
import { MemberRooms } from './member-rooms.ts'

const gibi = 2 ** 30

test('a member has the memory that files in its cache do not really take, and keeps what was known of it', async t => {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const client = new IncusClient({ socket: fake.socket })
  t.after(() => client.close())
  const space = { used: 3 * gibi, total: 10 * gibi }
  const state = '/1.0/cluster/members/one/state'
  fake.serve(`GET ${state}`, { sysinfo: { free_ram: gibi }, storage_pools: { sandglass: { space } } })
  fake.serve('GET /1.0/resources', { cpu: { total: 8 }, memory: { used: 2 * gibi, total: 16 * gibi } })
  fake.serve('GET /1.0', { api_extensions: [], auth: 'trusted', environment: { driver: 'lxc | qemu' } })
  const rooms = new MemberRooms(client, 'sandglass', 60_000)
  assert.deepEqual(rooms.of('one'), {})
  await rooms.measure('one')
  const known = {
    freeDiskMiB: 7 * 1024,
    cpus: 8,
    memoryMiB: 16 * 1024,
    freeMemoryMiB: 14 * 1024,
    hasVirtualMachines: true,
  }
  assert.deepEqual(rooms.of('one'), known)
  fake.refuse(`GET ${state}`, 500, 'it is in trouble')
  await assert.rejects(rooms.measure('one'), /it is in trouble/)
  assert.deepEqual(rooms.of('one'), known)
  const asked = fake.requests.filter(request => request.startsWith('GET /1.0/resources'))
  assert.deepEqual(asked, ['GET /1.0/resources?target=one'], 'the hardware is not asked for each time')
})
