import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { settle } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { testShapes } from '../packages/server/src/testing/test-machines.ts'
import { frontOf, hostProcess, workersOf } from './support/host-processes.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { makeSandboxes, statusesOf, stop } from './support/machine-process.ts'
import { call, temporaryFolder } from './support/service-process.ts'

const installation = await MachineInstallation.start()
const [sandbox = ''] = await makeSandboxes(installation.credentials, 1)

async function statusOf(pid: number): Promise<Record<string, string>> {
  const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n')
  return Object.fromEntries(lines.map(line => line.split(/:\s*/, 2)))
}

const front = () => frontOf(installation.service.pid)

/** Runs a shell command with the rights that the front has. */
async function asFront(command: string): Promise<string> {
  const { Uid = '', Gid = '' } = await statusOf(await front())
  const ids = ['--reuid', Uid.split('\t')[0] ?? '', '--regid', Gid.split('\t')[0] ?? '', '--clear-groups']
  const rights = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
  const { stdout } = await promisify(execFile)('setpriv', [...ids, ...rights, 'sh', '-c', command], {
    cwd: installation.data,
  })
  return stdout
}

/** A machine that was adopted can be used when its worker has connected to it. */
async function hasSandbox(): Promise<void> {
  const path = `~/sandboxes/${sandbox}/actions/execute`
  const screenshot = { action: { type: 'screenshot' } }
  await waitFor(async () => (await call(installation.credentials, 'POST', path, screenshot)).status === 200)
}

test('requests are served and machines are talked to by processes that are not root and have no capabilities', async () => {
  assert.notEqual(await front(), installation.service.pid)
  const workers = await workersOf(installation.service.pid)
  assert.ok(workers.length > 0)
  const users = new Set<string>()
  for (const pid of [await front(), ...workers]) {
    const status = await statusOf(pid)
    const { Uid = '0', Gid = '0' } = status
    users.add(Uid)
    for (const ids of [Uid, Gid]) assert.ok(ids.split('\t').every(id => Number(id) > 0))
    assert.equal((status['Groups'] ?? '').trim(), '')
    for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      assert.equal(status[name], '0'.repeat(16), name)
    assert.equal(status['NoNewPrivs'], '1')
  }
  assert.equal(users.size, workers.length + 1, 'each is a user of its own')
})

test('workers have none of the settings, which may be secrets', async () => {
  for (const pid of await workersOf(installation.service.pid))
    assert.doesNotMatch(await readFile(`/proc/${pid}/environ`, 'utf8'), /SANDGLASS_|DATABASE_URL/)
})

test('the front and workers find compiled code that they cannot change', async () => {
  let found: readonly string[] = []
  const findsCode = async (pid: number) => {
    const { Uid = '' } = await statusOf(pid)
    const own = `/run/sandglass/compiled/*-${Uid.split('\t')[0]}`
    const { stdout } = await promisify(execFile)('nsenter', [
      ...['--target', `${pid}`, '--mount', 'sh', '-c'],
      `cd ${own} || exit 0; ls | wc -l; touch more 2>&1 || true`,
    ])
    found = stdout.split('\n')
    return Number(found[0]) > 100 && /Read-only file system/.test(found[1] ?? '')
  }
  // A worker may be replaced meanwhile.
  const allFind = async () => {
    for (const pid of [await front(), ...(await workersOf(installation.service.pid))])
      if (!(await findsCode(pid).catch(() => false))) return false
    return true
  }
  await waitFor(allFind).catch(() => assert.fail(found.join('\n')))
})

test('a worker that is killed is replaced', async () => {
  const before = await workersOf(installation.service.pid)
  for (const pid of before) process.kill(pid, 'SIGKILL')
  await hasSandbox()
  const now = await workersOf(installation.service.pid)
  assert.ok(now.length > 0 && now.every(pid => !before.includes(pid)))
})

test('the front can read its own files, but neither read nor replace those of the host', async () => {
  assert.match(await asFront('cat credentials.json'), /operatorKey/)
  await asFront('echo test > made-by-front && mv made-by-front moved && rm moved')
  const { runDir } = settle(installation.engineOptions)
  const refused = [
    'ls local',
    'cat local/front.json',
    'mv local elsewhere',
    'rmdir images',
    'echo test > local/test',
    'chmod 777 .',
    `ls ${runDir}`,
    `ls ${runDir}/m/*/sockets/agent`,
  ]
  for (const command of refused) await assert.rejects(asFront(command), command)
  assert.equal((await stat(join(installation.data, 'local'))).uid, 0)
})

test('the front sees no mounts of machines, so that their disks are freed when they are destroyed', async () => {
  const { runDir } = settle(installation.engineOptions)
  installation.service.signal('SIGTERM')
  assert.equal(await installation.service.exit(), 0)
  await installation.startAgain()
  const mounts = await readFile(`/proc/${await front()}/mountinfo`, 'utf8')
  assert.ok(!mounts.includes(`${runDir}/`))
  await hasSandbox()
})

test('the front ends with a host that is killed, and the next start goes on with the machines', async () => {
  const before = await front()
  await installation.service.kill()
  await waitFor(async () => (await hostProcess(before))?.hasEnded ?? true)
  await installation.startAgain()
  await hasSandbox()
})

test('the host ends with a front that is killed, with its code, and the next start goes on with the machines', async () => {
  process.kill(await front(), 'SIGKILL')
  assert.equal(await installation.service.exit(), 137)
  await installation.startAgain()
  await hasSandbox()
})

test('the front of an ordinary user is that user, and finds its files below folders that it cannot search', async () => {
  const closed = join(await temporaryFolder(), 'closed')
  const data = join(closed, 'data')
  await mkdir(closed, { mode: 0o700 })
  const shapes = await testShapes(closed, 0)
  await chmod(shapes, 0o600)
  // The user whom Debian calls nobody. sudo tells who has started the service with it.
  const user = '65534'
  const { service, credentials } = await MachineInstallation.start({ data, shapes, env: { SUDO_UID: user } })
  assert.ok(service.printed.includes(`${data}/credentials.json`), service.printed)
  assert.equal((await statusOf(await frontOf(service.pid)))['Uid']?.split('\t')[1], user)
  const { body } = await call(credentials, 'GET', '~/shapes')
  assert.deepEqual(
    body.map(({ name }: { readonly name: string }) => name),
    ['small'],
  )
  await makeSandboxes(credentials, 1)
  assert.equal((await stat(closed)).mode & 0o777, 0o700)
  await stop(service)

  // The next start by root hands everything to the system user.
  const again = await MachineInstallation.start({ data, shapes })
  assert.deepEqual([...(await statusesOf(again.credentials)).values()], ['RUNNING'])
  assert.equal((await stat(join(data, 'credentials.json'))).uid, (await stat(join(data, 'postgres'))).uid)
  assert.notEqual((await stat(join(data, 'credentials.json'))).uid, Number(user))
})
