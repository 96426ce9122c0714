import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { machineData, makeSandboxes, runningMachines, statusesOf, stop } from './support/machine-process.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const execute = promisify(execFile)

/** Queries the embedded database of a data directory while the service runs. */
async function inDatabase<T>(
  data: string,
  query: (db: ReturnType<typeof openPool>['db']) => Promise<T>,
): Promise<T> {
  const pool = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  try {
    return await query(pool.db)
  } finally {
    await pool.close()
  }
}

/** Copies the embedded database of a stopped service, including the owners of its files. */
async function backUp(data: string): Promise<string> {
  const folder = await temporaryFolder()
  await execute('cp', ['-a', join(data, 'postgres'), folder])
  return join(folder, 'postgres')
}

async function restore(backup: string, data: string): Promise<void> {
  await rm(join(data, 'postgres'), { recursive: true })
  await execute('cp', ['-a', backup, data])
}

test('an empty database leaves the machines of another one running and says so, and the right one adopts them again', async () => {
  const { data, env, engine } = await machineData()
  const first = await ServiceProcess.start(data, env)
  const credentials = await first.credentials()
  const ids = await makeSandboxes(credentials, 5)
  const machines = await runningMachines(engine)
  assert.equal(machines.length, 5)
  await stop(first)

  const empty = await sharedDatabase()
  const lost = await ServiceProcess.start(data, { ...env, ...empty.env })
  assert.deepEqual(await runningMachines(engine), machines)
  assert.match(lost.printed, new RegExp(`5 machines in ${data} left alone`))
  assert.match(lost.printed, /5 machines: made for installation [0-9a-f-]{36}\./)
  assert.match(lost.printed, /This database \(.*\) is installation [0-9a-f-]{36}\./)
  assert.match(lost.printed, /DATABASE_URL/)
  assert.match(lost.printed, /npm run dismantle -- --unclaimed/)
  const elsewhere = await lost.credentials()
  assert.equal((await statusesOf(elsewhere)).size, 0)
  const { url, operatorKey } = elsewhere
  const metrics = await fetch(`${url}/metrics`, { headers: { 'x-api-key': operatorKey } })
  assert.match(await metrics.text(), /^sandglass_unclaimed_machines 5$/m)
  // It works alongside them, and cleans up only its own machines.
  const [own] = await makeSandboxes(elsewhere, 1)
  assert.equal((await call(elsewhere, 'DELETE', `~/sandboxes/${own}`)).status, 200)
  await waitFor(async () => (await engine.list()).length === 5)
  await stop(lost)

  const again = await ServiceProcess.start(data, env)
  assert.doesNotMatch(again.printed, /left alone/)
  assert.deepEqual(await runningMachines(engine), machines)
  // The keys of the right database work again too.
  const { url: _, ...kept } = await again.credentials()
  const { url: __, ...before } = credentials
  assert.deepEqual(kept, before)
  const statuses = await statusesOf(await again.credentials())
  assert.deepEqual([...statuses.keys()].sort(), [...ids].sort())
  assert.ok([...statuses.values()].every(status => status === 'RUNNING'))
  await stop(again)
  await engine.dismantle()
})

test('an older database leaves newer machines alone, even after it has reached their numbers', async () => {
  const { data, env, engine } = await machineData()
  const first = await ServiceProcess.start(data, env)
  const [old] = await makeSandboxes(await first.credentials(), 1)
  await stop(first)
  const backup = await backUp(data)
  const oldMachines = await runningMachines(engine)

  const second = await ServiceProcess.start(data, env)
  await makeSandboxes(await second.credentials(), 2)
  await stop(second)
  const newMachines = (await runningMachines(engine)).filter(id => !oldMachines.includes(id))
  assert.equal(newMachines.length, 2)
  const newest = await backUp(data)

  await restore(backup, data)
  const third = await ServiceProcess.start(data, env)
  const credentials = await third.credentials()
  assert.match(third.printed, /2 machines: made or handed to a user after the state that this database has/)
  assert.match(third.printed, /restore a newer backup/)
  assert.deepEqual([...(await statusesOf(credentials)).keys()], [old])
  for (const id of await makeSandboxes(credentials, 3))
    assert.equal((await call(credentials, 'DELETE', `~/sandboxes/${id}`)).status, 200)
  await waitFor(async () => (await engine.list()).length === 3)
  const { last } = await inDatabase(data, async db => {
    const { rows } = await sql<{ last: string }>`SELECT last_machine_number AS last FROM nodes`.execute(db)
    return rows[0] ?? { last: '0' }
  })
  assert.ok(Number(last) > 3, 'the older database has given out the numbers of the newer machines again')
  await stop(third)

  const fourth = await ServiceProcess.start(data, env)
  assert.match(fourth.printed, /2 machines: made or handed to a user after/)
  assert.deepEqual(await runningMachines(engine), [...oldMachines, ...newMachines].sort())
  await stop(fourth)

  await restore(newest, data)
  const fifth = await ServiceProcess.start(data, env)
  assert.doesNotMatch(fifth.printed, /left alone/)
  const statuses = [...(await statusesOf(await fifth.credentials())).values()]
  assert.deepEqual(statuses, ['RUNNING', 'RUNNING', 'RUNNING'])
  await stop(fifth)
  await engine.dismantle()
})

test('a warm machine that an older database still lists as unused is given to nobody', async () => {
  const { data, env, engine } = await machineData(1)
  const first = await ServiceProcess.start(data, env)
  await waitFor(async () => (await runningMachines(engine)).length === 1)
  const [pooled] = await runningMachines(engine)
  await waitFor(async () => {
    const rows = await inDatabase(data, db => db.selectFrom('machines').select('state').execute())
    return rows.some(({ state }) => state === 'ready')
  })
  await stop(first)
  const backup = await backUp(data)

  const second = await ServiceProcess.start(data, env)
  await makeSandboxes(await second.credentials(), 1, 'warm')
  const [claimed] = await inDatabase(data, db =>
    db.selectFrom('machines').select('id').where('state', '=', 'claimed').execute(),
  )
  assert.equal(claimed?.id, pooled)
  await stop(second)

  await restore(backup, data)
  const third = await ServiceProcess.start(data, env)
  assert.match(third.printed, /made or handed to a user after/)
  await makeSandboxes(await third.credentials(), 1, 'warm')
  const rows = await inDatabase(data, db => db.selectFrom('machines').select('id').execute())
  assert.ok(rows.every(({ id }) => id !== pooled))
  assert.ok((await runningMachines(engine)).includes(pooled ?? ''))
  await stop(third)
  await engine.dismantle()
})

test('a machine whose row does not record its creation is adopted with everything in it', async () => {
  const { data, env, engine } = await machineData()
  const first = await ServiceProcess.start(data, env)
  const credentials = await first.credentials()
  const [id] = await makeSandboxes(credentials, 1)
  const [machine] = await engine.list()
  assert.ok(machine)
  const opened = await engine.open(machine.handle)
  await opened.files.write('work.txt', Buffer.from('of the user'))
  opened.close()
  // As in a backup that was taken during the create.
  await inDatabase(data, async db => {
    await sql`UPDATE machines SET state = 'starting', handle = NULL`.execute(db)
    await sql`UPDATE sandboxes SET status = 'PENDING'`.execute(db)
  })
  await first.kill()

  const second = await ServiceProcess.start(data, env)
  assert.deepEqual([...(await statusesOf(await second.credentials()))], [[id, 'RUNNING']])
  const again = await engine.open(machine.handle)
  assert.equal(await text(await again.files.read('work.txt')), 'of the user')
  again.close()
  await stop(second)
  await engine.dismantle()
})
