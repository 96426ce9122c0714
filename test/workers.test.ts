import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LocalEngine } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { machinePaths } from '../packages/machines/src/engines/local/machine-paths.ts'
import { findInit } from '../packages/machines/src/engines/local/oci/init-process.ts'
import { hostProcess, workersOf } from './support/host-processes.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { makeSandboxes } from './support/machine-process.ts'
import { type Credentials, call } from './support/service-process.ts'

const { service, credentials, data, engineOptions } = await MachineInstallation.start()

/** Another organization with a sandbox of its own. */
async function otherTenant(): Promise<Credentials> {
  const operator = { ...credentials, apiKey: credentials.operatorKey }
  const { body } = await call(operator, 'POST', '/api/operator/organizations', { name: 'Another' })
  return { ...credentials, orgId: body.organization.id, apiKey: body.ownerKey.apiKey }
}

/**
 * The worker that is busy each time when a tenant looks at its screen. A worker that is just starting is busy too, but not again
 * after all of them were idle.
 */
async function workerThatServes(tenant: Credentials, sandbox: string): Promise<number> {
  const rounds = [await timesWhileLooking(tenant, sandbox), await timesWhileLooking(tenant, sandbox)]
  const pids = [...(rounds[0]?.keys() ?? [])].filter(pid => rounds[1]?.has(pid))
  const busyMs = (pid: number) => Math.min(...rounds.map(times => times.get(pid) ?? 0))
  return pids.sort((a, b) => busyMs(b) - busyMs(a))[0] ?? assert.fail()
}

/** How long each worker ran while the tenant looked. */
async function timesWhileLooking(tenant: Credentials, sandbox: string): Promise<Map<number, number>> {
  await waitFor(areIdle)
  const before = await timesOfWorkers()
  for (let times = 0; times < 20; times++) await look(tenant, sandbox)
  const now = await timesOfWorkers()
  return new Map([...before].map(([pid, { ranMs }]) => [pid, (now.get(pid)?.ranMs ?? 0) - ranMs]))
}

const timesOfWorkers = async () =>
  new Map(
    await Promise.all(
      (await workersOf(service.pid)).map(async pid => [pid, await processorTimes(pid)] as const),
    ),
  )

/**
 * Whether no worker is just starting, which takes more processor time than anything that a test asks of one. On a busy host it
 * mostly waits for a processor.
 */
async function areIdle(): Promise<boolean> {
  const before = await timesOfWorkers()
  await pause(300)
  const now = await timesOfWorkers()
  return (
    now.size === before.size &&
    [...now].every(([pid, { ranMs, waitedMs }]) => {
      const then = before.get(pid)
      return then !== undefined && ranMs - then.ranMs <= 30 && waitedMs - then.waitedMs <= 200
    })
  )
}

/** How long the threads of a process have run, and how long they have waited for a processor. */
async function processorTimes(pid: number): Promise<{ ranMs: number; waitedMs: number }> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const times = { ranMs: 0, waitedMs: 0 }
  for (const thread of threads) {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0 0')
    const [ran = 0, waited = 0] = text.split(' ').map(Number)
    times.ranMs += ran / 1e6
    times.waitedMs += waited / 1e6
  }
  return times
}

const look = (tenant: Credentials, sandbox: string) =>
  call(tenant, 'POST', `~/sandboxes/${sandbox}/actions/execute`, {
    action: {
      type: 'mouse:move',
      x: { type: '/', numerator: 1, denominator: 2 },
      y: { type: '/', numerator: 1, denominator: 2 },
    },
    settle: 'none',
  })

const list = (tenant: Credentials, sandbox: string) =>
  call(tenant, 'GET', `~/sandboxes/${sandbox}/files?path=/etc`)

const neighbour = await otherTenant()
const [own = ''] = await makeSandboxes(credentials, 1)
const [other = ''] = await makeSandboxes(neighbour, 1)

test('each organization has a worker of its own', async () => {
  const [first, second] = [await workerThatServes(credentials, own), await workerThatServes(neighbour, other)]
  assert.notEqual(first, second)
})

test('a worker has no network and a memory limit', async () => {
  for (const pid of await workersOf(service.pid)) {
    assert.notEqual(await readlink(`/proc/${pid}/ns/net`), await readlink('/proc/self/ns/net'))
    assert.match(await readFile(`/proc/${pid}/cgroup`, 'utf8'), /sandglass-worker-/)
  }
})

test('a worker cannot read the data directory or the files of machines', async () => {
  const [pid = 0] = await workersOf(service.pid)
  const [, user = ''] = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  for (const path of [`${data}/credentials.json`, `${data}/local`])
    assert.throws(() =>
      execFileSync(
        'nsenter',
        [
          '--mount',
          '--target',
          String(pid),
          '--',
          'setpriv',
          '--reuid',
          user,
          '--regid',
          user,
          '--clear-groups',
          '--',
          'ls',
          '-l',
          `${path}/`,
        ],
        { stdio: 'pipe' },
      ),
    )
})

for (const [what, signal] of [
  ['that is killed', 'SIGKILL'],
  ['that stands still', 'SIGSTOP'],
] as const)
  test(`a worker ${what} is replaced, and a neighbour notices nothing`, async () => {
    const [victim, theirs] = [
      await workerThatServes(credentials, own),
      await workerThatServes(neighbour, other),
    ]
    process.kill(victim, signal)
    const statuses: number[] = []
    await waitFor(async () => {
      statuses.push((await look(neighbour, other)).status, (await list(neighbour, other)).status)
      return (await look(credentials, own)).status === 200
    })
    assert.deepEqual([...new Set(statuses)], [200])
    assert.equal((await list(credentials, own)).status, 200)
    await waitFor(async () => (await hostProcess(victim))?.hasEnded !== false)
    assert.ok((await workersOf(service.pid)).includes(theirs))
  })

test('a machine that ends while its worker stands still is noticed', async () => {
  const engine = new LocalEngine(engineOptions)
  const known = new Set((await engine.list()).map(({ id }) => id))
  const [doomed = ''] = await makeSandboxes(credentials, 1)
  const { id = '' } = (await engine.list()).find(machine => !known.has(machine.id)) ?? {}
  const init = await findInit(machinePaths(engine.settings, id))
  process.kill(await workerThatServes(credentials, doomed), 'SIGSTOP')
  process.kill(init?.pid ?? assert.fail(), 'SIGKILL')
  await waitFor(
    async () => (await call(credentials, 'GET', `~/sandboxes/${doomed}`)).body.status !== 'RUNNING',
  )
})
