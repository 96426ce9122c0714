import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AdbEngine } from '@sandglass/machines/adb'
import type { LocalEngine } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { FakeAdbd } from '../packages/machines/src/engines/adb/test-fake-adbd.ts'
import { phoneSpec } from '../packages/machines/src/engines/adb/test-phone-engine.ts'
import { leftovers } from '../packages/machines/src/engines/local/test-leftovers.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData, makeSandboxes, runningMachines, statusesOf, stop } from './support/machine-process.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const script = new URL('../packages/server/src/dismantle.ts', import.meta.url).pathname

/** Runs the command as an operator would. */
async function dismantle(data: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'] ?? '', SANDGLASS_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  return { code, printed: (await printed).join('') }
}

test('machines survive a clean stop, including those of the warm pool, and one command removes all of them', async () => {
  const { data, env, engine } = await machineData(1)
  const service = await ServiceProcess.start(data, env)
  await makeSandboxes(await service.credentials(), 1)
  await waitFor(async () => (await runningMachines(engine)).length === 2)
  const refused = await dismantle(data, env, '--yes')
  assert.equal(refused.code, 1)
  assert.match(
    refused.printed,
    new RegExp(`The service \\(process ${service.pid}\\) is running in ${data}. Stop it and try again`),
  )
  await stop(service)
  const machines = await runningMachines(engine)
  assert.equal(machines.length, 2)

  const listed = await dismantle(data, env)
  assert.equal(listed.code, 0)
  for (const id of machines)
    assert.match(listed.printed, new RegExp(`${id}  running  image minimal  installation [0-9a-f-]{36}`))
  assert.match(listed.printed, /Nothing was changed\. .* npm run dismantle -- --yes/)
  assert.deepEqual(await runningMachines(engine), machines)

  // The command needs no database: this one does not exist.
  const removed = await dismantle(data, { ...env, DATABASE_URL: 'postgres://localhost:1/none' }, '--yes')
  assert.equal(removed.code, 0, removed.printed)
  for (const id of machines) assert.match(removed.printed, new RegExp(`of 2: ${id} destroyed`))
  assert.deepEqual(await leftovers(engine.settings), [])
  assert.ok(!existsSync(engine.settings.runDir), 'router, mounts and sockets are gone')
  assert.ok(existsSync(dirname(engine.settings.runDir)), 'fronts of other services have mounted over it')
  assert.ok(existsSync(join(data, 'postgres')) && existsSync(join(data, 'credentials.json')))
  assert.deepEqual(await readdir(join(data, 'handed-out')), [])
  const again = await dismantle(data, env, '--yes')
  assert.deepEqual([again.code, /No machines to destroy/.test(again.printed)], [0, true], again.printed)

  const restarted = await ServiceProcess.start(data, env)
  const credentials = await restarted.credentials()
  const [[id, status] = []] = await statusesOf(credentials)
  assert.equal(status, 'ERROR')
  assert.equal((await call(credentials, 'DELETE', `~/sandboxes/${id}`)).status, 200)
  await makeSandboxes(credentials, 1)
  await stop(restarted)
})

/** Creates a sandbox with a volume and a snapshot, and returns the ids of the volumes and saved disks that are there then. */
async function makeSaved(service: ServiceProcess, { snapshots, volumes }: LocalEngine): Promise<string[]> {
  const credentials = await service.credentials()
  const [id] = await makeSandboxes(credentials, 1)
  const volume = await call(credentials, 'POST', '~/volumes', { name: 'data', sizeMiB: 64 })
  const snapshot = await call(credentials, 'POST', `~/sandboxes/${id}/snapshots`, { name: 'saved' })
  assert.deepEqual([volume.body.status, snapshot.body.status], ['READY', 'READY'])
  return [...(await snapshots.list()), ...(await volumes.list())].map(one => one.id).sort()
}

test('an option removes only the machines, saved disks and volumes that the database does not know', async () => {
  const { data, env, engine } = await machineData()
  const first = await ServiceProcess.start(data, env)
  const saved = await makeSaved(first, engine)
  const [mine] = await runningMachines(engine)
  await stop(first)
  const other = { ...env, ...(await sharedDatabase()).env }
  const second = await ServiceProcess.start(data, other)
  const unclaimed = (await makeSaved(second, engine)).filter(id => !saved.includes(id))
  assert.deepEqual([saved.length, unclaimed.length], [2, 2])
  const [strange] = (await runningMachines(engine)).filter(id => id !== mine)
  await stop(second)

  const listed = await dismantle(data, env, '--unclaimed')
  assert.equal(listed.code, 0, listed.printed)
  assert.match(listed.printed, /It knows 1 of 2 machines, 1 of 2 saved disks and 1 of 2 volumes/)
  for (const id of unclaimed)
    assert.match(
      listed.printed,
      new RegExp(`${id}  (saved disk  \\d+ MiB|volume  \\d+ MiB used)  installation `),
    )
  for (const id of saved) assert.ok(!listed.printed.includes(id), listed.printed)
  assert.ok(listed.printed.includes(`${strange}  running`) && !listed.printed.includes(`${mine}  running`))
  assert.match(listed.printed, /npm run dismantle -- --unclaimed --yes/)
  const removed = await dismantle(data, env, '--unclaimed', '--yes')
  assert.equal(removed.code, 0, removed.printed)
  assert.deepEqual(await runningMachines(engine), [mine])
  const left = [...(await engine.snapshots.list()), ...(await engine.volumes.list())].map(({ id }) => id)
  assert.deepEqual(left.sort(), saved)

  const third = await ServiceProcess.start(data, env)
  assert.doesNotMatch(third.printed, /left alone/)
  assert.deepEqual([...(await statusesOf(await third.credentials())).values()], ['RUNNING'])
  await stop(third)
})

test('phones are reset and released if their pools are named, and stay claimed otherwise', async () => {
  const data = await temporaryFolder()
  const fake = await FakeAdbd.start('healthy')
  cleanup.defer(() => fake.vanish())
  const [resets, file] = [join(data, 'resets'), join(data, 'phones.json')]
  const reset = { command: ['sh', '-c', `echo $SANDGLASS_DEVICE >> ${resets}`] }
  const pools = { rack: { devices: [fake.address], reset } }
  await writeFile(file, JSON.stringify({ pools }))
  const engine = await AdbEngine.open({ dataDir: join(data, 'phones'), pools })
  await engine.create({ ...phoneSpec(), image: 'rack' })
  await engine.close()
  const env = { SANDGLASS_MACHINES: 'none' }

  const unnamed = await dismantle(data, env, '--yes')
  assert.equal(unnamed.code, 0, unnamed.printed)
  assert.match(unnamed.printed, /Phones are claimed in .*, and stay claimed: set SANDGLASS_PHONES/)
  assert.equal((await engine.list()).length, 1)
  const named = await dismantle(data, { ...env, SANDGLASS_PHONES: file }, '--yes')
  assert.equal(named.code, 0, named.printed)
  assert.match(named.printed, /running {2}phone of pool rack {2}installation unknown/)
  assert.deepEqual([await engine.list(), (await engine.capacity(0)).fits], [[], 1])
  assert.equal(await readFile(resets, 'utf8'), `${fake.address}\n`)
})

test('a wrong option or data directory is reported with what to do', async () => {
  const data = join(await temporaryFolder(), 'nowhere')
  const wrong = await dismantle(data, {}, '--everything')
  assert.equal(wrong.code, 1)
  assert.match(wrong.printed, /--everything.*npm run dismantle -- --yes/s)
  const missing = await dismantle(data, {}, '--yes')
  assert.equal(missing.code, 1)
  assert.match(missing.printed, /There is no data directory .*nowhere; set SANDGLASS_DATA/)
  assert.ok(!existsSync(data))
})
