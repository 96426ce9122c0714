import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { waitFor } from '../../../testing/index.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { addTinyImage, clusterLeftovers, TestCluster, type TestMember, tinyInstance, world } from './index.ts'
import { at } from './request.ts'

let cluster: TestCluster
let first: TestMember
let second: TestMember
let third: TestMember

before(async () => {
  cluster = await TestCluster.start({ diskMiB: 2048, hasWorld: true })
  const [a, b, c] = cluster.members
  assert.ok(a && b && c)
  ;[first, second, third] = [a, b, c]
  await addTinyImage(first)
  for (const member of cluster.members) {
    const name = `on-${member.name}`
    await first.operate('POST', `/1.0/instances?target=${member.name}`, tinyInstance(name))
  }
})
after(() => cluster?.dispose())

const becomes = (member: TestMember, status: string, seenBy = first) =>
  waitFor(async () => (await cluster.statuses(seenBy).catch(() => new Map())).get(member.name) === status)

/** The process on the member that is the first of its container. */
async function containerPid(member: TestMember): Promise<unknown> {
  return at(await member.request('GET', `/1.0/instances/on-${member.name}/state`), 'pid')
}

const execIn = (member: TestMember, ...command: string[]) =>
  member.run('incus', ['exec', `on-${member.name}`, '--', ...command])

test('three members are online, and each runs a container', async () => {
  assert.deepEqual([...(await cluster.statuses()).values()], ['Online', 'Online', 'Online'])
  // The command of Incus was seen to end without the output of a program that ended at once on a busy host.
  for (const member of cluster.members)
    await waitFor(async () => (await execIn(member, 'cat', '/proc/1/comm')) === 'init\n')
})

test('the size of a root disk is a limit', async () => {
  // Not the container of the other tests: Incus cannot start one whose disk is full, nor can it delete its own files.
  await first.operate('POST', '/1.0/instances?target=member2', tinyInstance('full', 32))
  const write = (mebibytes: number) => {
    const dd = ['dd', 'if=/dev/zero', `of=/root/${mebibytes}`, 'bs=1M', `count=${mebibytes}`, 'conv=fsync']
    return second.run('incus', ['exec', 'full', '--', ...dd])
  }
  await write(8)
  await assert.rejects(write(64), /quota/i)
  await first.operate('PUT', '/1.0/instances/full/state', { action: 'stop', force: true })
  await first.operate('DELETE', '/1.0/instances/full')
})

test('members reach the small world and no other, and a client on the switch reaches the members', async () => {
  const shown = await first.run('ip', ['route'])
  assert.doesNotMatch(shown, /default/)
  assert.match(shown, /203\.0\.113\.10 via/)
  assert.equal(await first.run('busybox', ['nc', world.web, '80']), 'hello')
  const script = `fetch('${first.url}/1.0').then(r => r.json()).then(r => console.log(r.metadata.auth))`
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const node = [`--net=${cluster.client.netns}`, process.execPath, '--no-warnings', '-e', script]
  assert.equal(await runCommand('nsenter', node, { env }), 'untrusted\n')
})

test('a container outlives incusd', async () => {
  const pid = await containerPid(third)
  await third.killDaemon()
  await assert.rejects(third.request('GET', '/1.0'))
  assert.equal(await third.run('cat', [`/proc/${pid}/comm`]), 'init\n')
  await third.startDaemon()
  assert.equal(await containerPid(third), pid)
})

test('a member that is killed goes offline, and comes back with its container', async () => {
  await execIn(second, 'sh', '-c', 'printf kept > /root/note; sync')
  await second.kill()
  await becomes(second, 'Offline')
  await second.boot()
  await becomes(second, 'Online')
  await waitFor(async () => Number(await containerPid(second)) > 0)
  assert.equal(await execIn(second, 'cat', '/root/note'), 'kept')
})

test('a member that is cut off in one direction goes offline, and recovers with its container running', async () => {
  const pid = await containerPid(third)
  await cluster.cut(third, 'out')
  await becomes(third, 'Offline')
  await cluster.heal(third)
  await becomes(third, 'Online')
  assert.equal(await containerPid(third), pid)
})

test('a slow member stays online', async () => {
  /** The kernel answers, so that only the way there takes time. */
  const pingMs = async () => {
    const printed = await first.run('busybox', ['ping', '-c', '1', '-W', '60', second.address])
    return Number(/time=([\d.]+) ms/.exec(printed)?.[1])
  }
  await cluster.slow(second, 150)
  assert.ok((await pingMs()) >= 300)
  await first.request('GET', '/1.0/instances/on-member2/state')
  assert.equal((await cluster.statuses()).get('member2'), 'Online')
  await cluster.slow(second, 0)
  await waitFor(async () => (await pingMs()) < 300)
})

test('a full disk takes nothing more, and the member works again when there is room', async () => {
  await second.fillDisk()
  await assert.rejects(
    second.run('dd', ['if=/dev/zero', 'of=/var/lib/incus/probe', 'bs=1M', 'count=1']),
    /space/,
  )
  await second.freeDisk()
  await becomes(second, 'Online')
  await first.operate('POST', '/1.0/instances?target=member2', tinyInstance('later'))
})

test('another member leads the database when the leader stops', async () => {
  const leader = await cluster.leader()
  await leader.stopDaemon()
  await waitFor(async () => (await cluster.leader().catch(() => leader)) !== leader)
  await leader.startDaemon()
  await becomes(leader, 'Online', leader)
})

test('nothing is left when it is disposed of', async () => {
  const leftovers = await clusterLeftovers(cluster)
  assert.notDeepEqual(await leftovers(), [])
  await cluster.dispose()
  assert.deepEqual(await leftovers(), [])
})

test('a start that fails leaves nothing', async () => {
  const own = async () =>
    (await readdir(tmpdir())).filter(name => name.startsWith(`sandglass-cluster-${process.pid}-`))
  const earlier = await own()
  await assert.rejects(TestCluster.start({ members: 2, diskMiB: 1 }))
  assert.deepEqual(await own(), earlier)
})

test('a cluster ends with its test process, and the next start removes its files and cgroups', async () => {
  const script = `const { TestCluster } = await import('${import.meta.dirname}/index.ts')
    const { name, folder, client, members } = await TestCluster.start({ members: 1, diskMiB: 512 })
    console.log(JSON.stringify({ name, folder, client, members: members.map(({ pid }) => ({ pid })) }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const leftovers = await clusterLeftovers(JSON.parse(String(line)))
    child.kill('SIGKILL')
    await waitFor(async () => (await leftovers()).every(path => path.startsWith('/')))
    await (await TestCluster.start({ members: 1, diskMiB: 512 })).dispose()
    assert.deepEqual(await leftovers(), [])
  } finally {
    child.kill('SIGKILL')
  }
})
