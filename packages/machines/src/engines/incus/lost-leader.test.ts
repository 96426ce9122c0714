import assert from 'node:assert/strict'
import { it, describe as suite } from 'node:test'
import { waitFor } from '../../testing/wait-for.ts'
import { IncusClient, makeClientCertificate } from './client/index.ts'
import { FakeIncus } from './client/testing/fake-incus.ts'
import { Members } from './members.ts'
import { settleIncus } from './options.ts'

const names = ['a', 'b', 'c'] as const
type Name = (typeof names)[number]

/** Three members, of which a leads the database. */
async function start() {
  const [server, own] = await Promise.all(['server', 'client'].map(makeClientCertificate))
  assert.ok(server && own)
  const [a, b, c] = await Promise.all(names.map(() => FakeIncus.onTls(server)))
  assert.ok(a && b && c)
  const members = { a, b, c }
  const address = { urls: [a.url, b.url, c.url], ...own, serverCertificate: server.certificate }
  const client = new IncusClient(address)
  const listed = new Members(client, settleIncus({ address, imagesDir: '' }))
  let there: readonly Name[] = names
  let statuses: Readonly<Record<Name, string>> | undefined
  let leader: Name = 'a'
  const serve = () => {
    const list = names.map(name => ({
      server_name: name,
      url: members[name].url,
      status: statuses?.[name],
      roles: name === leader ? ['database-leader', 'database'] : ['database'],
    }))
    const answers = new Map<string, unknown>([['GET /', ['/1.0']]])
    if (statuses) answers.set('GET /1.0/cluster/members', list)
    for (const name of names)
      if (statuses?.[name] === 'Online' && there.includes(name))
        answers.set(`GET /1.0/cluster/members/${name}/state`, { sysinfo: { free_ram: 2 ** 30 } })
    const routes = ['/', '/1.0/cluster/members', ...names.map(name => `/1.0/cluster/members/${name}/state`)]
    for (const name of names)
      for (const route of routes.map(path => `GET ${path}`))
        if (there.includes(name) && answers.has(route)) members[name].serve(route, answers.get(route))
        else members[name].handlers.set(route, () => {})
  }
  /** Sets what the database says, which is nothing while it has no leader. */
  const describe = (now: Readonly<Record<Name, string>> | undefined, by: Name = 'a') => {
    statuses = now
    leader = by
    serve()
  }
  /** Sets which members answer anything. */
  const isThere = (...now: Name[]) => {
    there = now
    serve()
  }
  describe({ a: 'Online', b: 'Online', c: 'Online' })
  await listed.look()
  return {
    listed,
    describe,
    isThere,
    statuses: async () => (await listed.known()).map(({ name, status }) => `${name} ${status}`),
    /** Looks for as long as it takes to find the loss of a leader. */
    lookLong: async () => {
      for (const endMs = performance.now() + 20_000; performance.now() < endMs; ) await listed.look()
    },
    [Symbol.asyncDispose]: async () => {
      listed.close()
      client.close()
      await Promise.all(Object.values(members).map(fake => fake.close()))
    },
  }
}

const allOnline = ['a online', 'b online', 'c online']

suite('a cluster whose database does not answer', { concurrency: true }, () => {
  it('loses its leader if that is silent and most members are there, and is asked again as soon as it answers', async () => {
    await using cluster = await start()
    const { listed, describe, isThere, statuses } = cluster
    let changes = 0
    let away: ReadonlySet<string> = new Set()
    listed.onChange = () => changes++
    listed.onAway = members => {
      away = members
    }
    describe(undefined)
    isThere('b', 'c')
    await listed.look()
    assert.deepEqual(await statuses(), allOnline, 'another one may lead in a moment')
    await waitFor(async () => {
      await listed.look()
      return listed.isLeaderLost
    })
    assert.deepEqual(await statuses(), ['a offline', 'b online', 'c online'])
    assert.deepEqual([changes, [...away]], [1, ['a']])

    describe({ a: 'Offline', b: 'Online', c: 'Online' }, 'b')
    await listed.look()
    assert.deepEqual(await statuses(), ['a offline', 'b online', 'c online'])
    assert.deepEqual([changes, listed.isLeaderLost], [1, false])

    isThere(...names)
    describe({ a: 'Online', b: 'Online', c: 'Online' }, 'b')
    await listed.look()
    assert.deepEqual(await statuses(), allOnline)
    assert.equal(changes, 2)
  })

  for (const [what, there] of [
    ['the leader is there', ['a', 'b', 'c']],
    ['it is not the leader that is silent', ['a', 'b']],
    ['most members are silent, as if our own network were broken', ['b']],
  ] as const)
    it(`loses nobody if ${what}`, async () => {
      await using cluster = await start()
      cluster.describe(undefined)
      cluster.isThere(...there)
      await cluster.lookLong()
      assert.deepEqual(await cluster.statuses(), allOnline)
    })

  it('keeps a leader that only we cannot reach, if the others say so', async () => {
    await using cluster = await start()
    cluster.isThere('b', 'c')
    await cluster.lookLong()
    assert.deepEqual(await cluster.statuses(), allOnline)
  })
})
