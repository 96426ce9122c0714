import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IncusClient } from './client/index.ts'
import { FakeIncus } from './client/testing/fake-incus.ts'
import { Members } from './members.ts'
import { settleIncus } from './options.ts'

const late = 'No heartbeat for 14.2s'
const stateOf = (name: string) => `GET /1.0/cluster/members/${name}/state`

async function start() {
  const fake = await FakeIncus.onSocket()
  const address = { socket: fake.socket }
  const client = new IncusClient(address)
  const members = new Members(client, settleIncus({ address, imagesDir: '' }))
  const describe = (statuses: Readonly<Record<string, string>>) =>
    fake.serve(
      'GET /1.0/cluster/members',
      Object.entries(statuses).map(([name, status]) => ({
        server_name: name,
        url: `https://${name}:8443`,
        status,
        message: status === 'Online' ? '' : late,
      })),
    )
  const answer = (...names: string[]) => {
    for (const name of names) fake.serve(stateOf(name), { sysinfo: { free_ram: 2 ** 30 } })
  }
  return {
    fake,
    members,
    describe,
    answer,
    /** Incus leaves questions for the state of a dead member without an answer. */
    silence: (name: string) => fake.handlers.set(stateOf(name), () => {}),
    statuses: async () => (await members.known()).map(({ name, status }) => `${name} ${status}`),
    [Symbol.asyncDispose]: async () => {
      members.close()
      client.close()
      await fake.close()
    },
  }
}

test('a member is given up that the cluster describes as offline and that does not answer, however late the others are', async () => {
  await using cluster = await start()
  const { members, describe, answer, silence, statuses } = cluster
  let changes = 0
  members.onChange = () => changes++
  describe({ a: 'Online', b: 'Online', c: 'Online' })
  answer('a', 'b', 'c')
  await members.look()
  silence('c')
  // The leader waits for the dead member before it notes the heartbeats of the others, its own included.
  describe({ a: 'Offline', b: 'Offline', c: 'Offline' })
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c online'], 'it may be busy for a moment')
  assert.equal(changes, 0)
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c offline'])
  assert.deepEqual([await members.isLost('c'), await members.isLost('a')], [true, false])
  assert.equal(changes, 1)

  answer('c')
  describe({ a: 'Online', b: 'Online', c: 'Online' })
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c online'])
  assert.equal(changes, 2)
})

test('no member is given up because the cluster itself has not answered for a while', async () => {
  await using cluster = await start()
  const { members, describe, answer, silence, statuses } = cluster
  describe({ a: 'Online', b: 'Online', c: 'Online' })
  answer('a', 'b', 'c')
  await members.look()
  // c was the leader of the database, and until there is another one, nobody can say anything.
  describe({ a: 'Offline', b: 'Offline', c: 'Offline' })
  for (const name of ['a', 'b', 'c']) silence(name)
  for (let looks = 0; looks < 3; looks++) await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c online'])
  answer('a')
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c online'], 'it was asked too early')
  answer('b')
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c offline'])
})

test('a member that does not answer stays while the cluster has it', async () => {
  await using cluster = await start()
  const { members, describe, answer, silence, statuses } = cluster
  describe({ a: 'Online', b: 'Online' })
  answer('a')
  silence('b')
  for (let looks = 0; looks < 3; looks++) await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online'])
})

test('a member that answers with a refusal is not silent, and one of which others say that it is away is', async () => {
  await using cluster = await start()
  const { fake, members, describe, answer, statuses } = cluster
  describe({ a: 'Online', b: 'Offline', c: 'Offline', d: 'Offline' })
  answer('a')
  fake.refuse(stateOf('b'), 500, 'no space left on device')
  fake.refuse(stateOf('c'), 500, 'Missing event connection with target cluster member')
  // The members say this of one that is dead for half a minute.
  fake.refuse(stateOf('d'), 500, "Server isn't ready yet.")
  await members.look()
  assert.deepEqual(await statuses(), ['a online', 'b online', 'c offline', 'd offline'])
})
