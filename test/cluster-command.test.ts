import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { makeClientCertificate } from '@sandglass/machines/incus-setup'
import { waitFor } from '@sandglass/machines/testing'
import { IncusClient } from '../packages/machines/src/engines/incus/client/index.ts'
import {
  addTinyImage,
  TestCluster,
  type TestMember,
  tinyInstance,
} from '../packages/machines/src/engines/incus/test-cluster/index.ts'
import { readClusterArguments } from '../packages/server/src/engines/incus/cluster-arguments.ts'
import { runClusterCommand } from '../packages/server/src/engines/incus/cluster-command.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './support/service-process.ts'

const script = new URL('../packages/server/src/cluster.ts', import.meta.url).pathname
const client = new URL('../packages/machines/src/engines/incus/client/index.ts', import.meta.url).href
/** The boxes see other paths than this process, so where their pools are is said to them. */
const place = ['--source', '/var/lib/incus/storage-pools/sandglass']

let boxes: TestCluster
let data: string

before(async () => {
  data = join(await temporaryFolder(), 'data')
  boxes = await TestCluster.start({ isFormed: false })
  cleanup.defer(() => boxes.dispose())
})

const box = (number: number) => boxes.member(`member${number}`)

/** Runs a program of Node in the network of a box. */
async function inNetworkOf(member: TestMember, ...args: string[]) {
  const child = spawn('nsenter', [`--net=/proc/${member.pid}/ns/net`, process.execPath, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      INCUS_DIR: member.path('/var/lib/incus'),
      SANDGLASS_DATA: data,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  return { code, printed: (await printed).join('') }
}

const run = (member: TestMember, ...args: string[]) => inNetworkOf(member, script, ...args)

/** Does what needs no network in this process. */
async function runHere(member: TestMember, ...args: string[]) {
  const lines: string[] = []
  const chosen = readClusterArguments(args)
  assert.ok(chosen.action !== 'help')
  const env = { INCUS_DIR: member.path('/var/lib/incus'), SANDGLASS_DATA: data }
  const isWell = await runClusterCommand(chosen, { env, tell: line => void lines.push(line) })
  return { isWell, printed: lines.join('\n') }
}

const tokenIn = (printed: string) => /cluster -- join (\S+)/.exec(printed)?.[1] ?? assert.fail(printed)

test('one command makes a cluster of a box, continues after a failure, and changes nothing if it is repeated', async () => {
  const failed = await run(box(1), 'init', '--source', '/nowhere/pool')
  assert.equal(failed.code, 1)
  assert.match(failed.printed, /^The storage pool could not be made \(btrfs on \/nowhere\/pool\): /m)
  assert.doesNotMatch(failed.printed, /\n {4}at /, 'no stack')

  const made = await run(box(1), 'init', ...place)
  assert.equal(made.code, 0, made.printed)
  assert.match(made.printed, /^This box is the member member1 of a cluster\.$/m)
  assert.match(made.printed, new RegExp(`^ {2}SANDGLASS_INCUS=${box(1).url}$`, 'm'))
  for (const name of ['client.crt', 'client.key', 'server.crt'])
    assert.equal((await stat(join(data, 'incus', name))).mode & 0o777, 0o600, name)
  const key = await readFile(join(data, 'incus', 'client.key'), 'utf8')

  const again = await run(box(1), 'init')
  assert.equal(again.code, 0, again.printed)
  assert.doesNotMatch(again.printed, /^(Made|Set|Corrected|Incus listens|Disks of) /m)
  assert.equal(await readFile(join(data, 'incus', 'client.key'), 'utf8'), key)
})

test('the service signs in with what was written, and a stranger does not', async () => {
  const [certificate, key, serverCertificate] = await Promise.all(
    ['client.crt', 'client.key', 'server.crt'].map(name => readFile(join(data, 'incus', name), 'utf8')),
  )
  const seenBy = async (identity: object) => {
    const program = `
      import { IncusClient } from ${JSON.stringify(client)}
      const incus = new IncusClient(${JSON.stringify({ urls: [box(1).url], serverCertificate, ...identity })})
      console.log((await incus.get('')).auth)
      console.log(await incus.get('/projects/sandglass').then(({ name }) => name, error => error.status))
      incus.close()`
    return (await inNetworkOf(box(2), '--input-type=module', '--eval', program)).printed
  }
  assert.equal(await seenBy({ certificate, key }), 'trusted\nsandglass\n')
  assert.equal(await seenBy(await makeClientCertificate('another')), 'untrusted\n403\n')
})

test('a box joins with a token, which works once', async () => {
  const token = tokenIn((await runHere(box(1), 'token', 'box2')).printed)
  const joined = await run(box(2), 'join', token, ...place)
  assert.equal(joined.code, 0, joined.printed)
  assert.match(joined.printed, /^box2 {2}https:\/\/\S+ {2}gets machines, [\d.]+ of [\d.]+ GiB free/m)
  assert.match(joined.printed, /fewer than three members/)

  const refused = await run(box(3), 'join', token, ...place)
  assert.equal(refused.code, 1)
  assert.match(refused.printed, /could not join: .* A token works once.* Make another there: .* token box2/)
  const third = tokenIn((await runHere(box(2), 'token', 'box3')).printed)
  assert.equal((await run(box(3), 'join', third, ...place)).code, 0)
  // Repeating it asks nothing of the cluster, not even whether the token is still good.
  assert.match((await runHere(box(3), 'join', third)).printed, /^This box is the member box3 of a cluster/)
  await assert.rejects(runHere(box(1), 'token', 'box3'), /There is a member box3 already/)
})

test('a member is drained and gets machines again', async () => {
  const incus = new IncusClient({ socket: box(1).socket })
  cleanup.defer(() => incus.close())
  await addTinyImage(box(1))
  await incus.run('POST', '/instances?target=box3', tinyInstance('walker'), { deadlineMs: 120_000 })
  const drained = await runHere(box(1), 'drain', 'box3')
  assert.match(drained.printed, /^box3 has no running machines and gets none\./m)
  const walker = JSON.stringify(await incus.get('/instances/walker'))
  assert.match(walker, /"location":"(member1|box2)"/)
  assert.match(walker, /"status":"Running"/)
  assert.match((await runHere(box(2), 'status')).printed, /^box3 .* drained: gets no machines/m)
  await runHere(box(1), 'return', 'box3')
  assert.match(JSON.stringify(await incus.get('/instances/walker')), /"location":"box3"/)
  assert.match((await runHere(box(1), 'return', 'box3')).printed, /^box3 is not drained\.$/)
  await assert.rejects(runHere(box(1), 'leave', 'box3'), /box3 could not be removed: .* drain it first/)
  await incus.run('PUT', '/instances/walker/state', { action: 'stop', force: true })
  await incus.run('DELETE', '/instances/walker')
})

test('a wrong setting is named, and corrected by init', async () => {
  const incus = new IncusClient({ socket: box(1).socket })
  cleanup.defer(() => incus.close())
  await incus.send('PATCH', '/networks/sgnet0', { config: { 'ipv4.dhcp': 'true' } })
  const { isWell, printed } = await runHere(box(2), 'status')
  assert.equal(isWell, false)
  assert.match(printed, /^fail {2}cluster network: sgnet0: ipv4\.dhcp is true instead of false$/m)
  assert.match((await runHere(box(1), 'init')).printed, /^Corrected the settings of the network sgnet0\.$/m)
  assert.equal((await runHere(box(2), 'status')).isWell, true)
})

test('a member that is cut off says so itself', async () => {
  await boxes.cut(box(3))
  let seen = { isWell: true, printed: '' }
  await waitFor(async () => {
    seen = await runHere(box(3), 'status')
    return !seen.isWell
  })
  assert.match(
    seen.printed,
    /^fail {2}cluster members: this member answers, but has no connection to a majority/,
  )
  await boxes.heal(box(3))
  await waitFor(async () => (await runHere(box(3), 'status')).isWell)
})

test('a lost member is shown, does not stop the command, and can be forgotten', async () => {
  await box(3).kill()
  let seen = { isWell: true, printed: '' }
  await waitFor(async () => {
    seen = await runHere(box(1), 'status')
    return !seen.isWell
  })
  assert.match(seen.printed, /^box3 .* LOST: its machines are in ERROR until it returns/m)
  await assert.rejects(runHere(box(1), 'leave', 'box3'), /box3 does not answer\. .* leave box3 --force/)
  assert.equal((await runHere(box(1), 'leave', 'box3', '--force')).printed, 'box3 is no longer a member.')
  assert.doesNotMatch((await runHere(box(1), 'status')).printed, /box3/)
})
