import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { IncusClient } from '../client/index.ts'
import { FakeIncus } from '../client/testing/fake-incus.ts'
import { addressesOf, type ClusterMember } from '../list-members.ts'
import { settleIncus } from '../options.ts'
import type { AclRule } from './destinations.ts'
import { Networks } from './networks.ts'

const Written = z.object({ egress: z.array(z.custom<AclRule>()) })

const member = (number: number, status = 'Online'): ClusterMember => ({
  name: `member${number}`,
  url: `https://10.0.0.${number}:8443`,
  status,
  message: '',
  roles: [],
  groups: [],
})
const allowed: AclRule = { action: 'allow', state: 'enabled', destination: '203.0.113.0/24' }
const dropped = (number: number): AclRule => ({
  action: 'drop',
  state: 'enabled',
  destination: `10.0.0.${number}`,
})

/** A cluster with these access lists of ours, and one of somebody else. */
async function cluster(t: TestContext, ours: Readonly<Record<string, readonly AclRule[]>>) {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const address = { socket: fake.socket }
  const client = new IncusClient(address, { project: 'sandglass' })
  t.after(() => client.close())
  const theirs = { name: 'theirs', description: 'by hand', egress: [dropped(99)] }
  const lists = Object.entries(ours).map(([name, egress]) => ({ name, description: 'Sandglass', egress }))
  fake.serve('GET /1.0/network-acls', [...lists, theirs])
  const written = new Map<string, readonly AclRule[]>()
  for (const list of [...lists, theirs]) {
    const path = `/1.0/network-acls/${list.name}`
    fake.serve(`GET ${path}`, list)
    fake.handlers.set(`PUT ${path}`, async (request: IncomingMessage, response) => {
      const { egress } = Written.parse(await json(request))
      written.set(list.name, egress)
      fake.serve(`GET ${path}`, { ...list, egress })
      response.end('{"type":"sync","status_code":200,"metadata":null}')
    })
  }
  return { fake, written, networks: new Networks(client, settleIncus({ address, imagesDir: '/none' })) }
}

test('the addresses of members are written as access lists need them', () => {
  const sixth = { ...member(6), url: 'https://[fd00::6]:8443' }
  assert.deepEqual(addressesOf([member(1), sixth]), ['10.0.0.1', 'fd00::6'])
})

test('a member that joins is protected in all lists of ours, whoever made them', async t => {
  const { fake, networks, written } = await cluster(t, {
    sgnet0: [dropped(1), allowed],
    sgother: [allowed, dropped(1)],
  })
  await networks.follow([member(1)])
  assert.equal(written.size, 0, 'nothing is different')
  await networks.follow([member(1), member(2)])
  for (const list of ['sgnet0', 'sgother'])
    assert.deepEqual(
      written.get(list)?.map(({ action, destination }) => [action, destination]),
      [
        ['drop', '10.0.0.1'],
        ['drop', '10.0.0.2'],
        ['allow', '203.0.113.0/24'],
      ],
    )
  assert.equal(written.has('theirs'), false)
  const asked = fake.requests.length
  await networks.follow([member(2), member(1)])
  assert.equal(fake.requests.length, asked, 'nobody is asked as long as the members are the same')
})

test('a member that has another address is protected there', async t => {
  const { networks, written } = await cluster(t, { sgnet0: [dropped(1), allowed] })
  await networks.follow([member(7)])
  assert.deepEqual(
    written.get('sgnet0')?.map(({ destination }) => destination),
    ['10.0.0.7', '203.0.113.0/24'],
  )
})

test('a list that cannot be written is written later', async t => {
  const { fake, networks, written } = await cluster(t, { sgnet0: [dropped(1), allowed] })
  const write = fake.handlers.get('PUT /1.0/network-acls/sgnet0') ?? assert.fail()
  fake.refuse('PUT /1.0/network-acls/sgnet0', 500, 'peer node 10.0.0.3:8443 is down')
  await assert.rejects(networks.follow([member(1), member(2)]), /is down/)
  fake.handlers.set('PUT /1.0/network-acls/sgnet0', write)
  await networks.follow([member(1), member(2)])
  assert.equal(written.get('sgnet0')?.length, 3)
})
