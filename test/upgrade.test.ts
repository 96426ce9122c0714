import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Sandglass } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { upgradeBackups } from '../packages/server/src/backups/upgrade-backup.ts'
import { type Database, openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { migrationNames } from '../packages/server/src/db/migrate.ts'
import { EffectSandbox } from './effects/effect-sandbox.ts'
import { latestRelease } from './support/latest-release.ts'
import { machineData, makeSandboxes, runningMachines, stop } from './support/machine-process.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

const here = join(import.meta.dirname, '..')
const release = await latestRelease()
const { data, env, engine } = await machineData()

let upgraded: ServiceProcess | undefined
/** An API key that was made before the upgrade. */
let key: string

/** Runs a command for operators of a checkout. */
async function command(
  checkout: string,
  script: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<void> {
  const program = join(checkout, `packages/server/src/${script}.ts`)
  const settings = { PATH: process.env['PATH'], SANDGLASS_MACHINES: 'none', SANDGLASS_VMS: 'off', ...env }
  await promisify(execFile)(join(checkout, 'node_modules/.bin/node'), [program, ...args], { env: settings })
}

/** Shows a window that writes the next line that is typed into it to a file. */
const openWindow = `xterm -T opened -e sh -c 'read line; echo "$line" > typed; sleep 1000' > /dev/null 2>&1 &
  xdotool search --sync --onlyvisible --name opened windowactivate --sync`

/** The processes of a desktop that are there twice in a row, with their start times, which no later process has. */
async function processesOf(desktop: EffectSandbox): Promise<string[]> {
  const list = async () => (await desktop.run('cut -d " " -f 1,2,22 /proc/[0-9]*/stat')).trim().split('\n')
  const first = new Set(await list())
  return (await list()).filter(one => first.has(one))
}

/** Works on the database of a data directory whose service is running. */
async function withDatabase<T>(folder: string, work: (db: Database) => Promise<T>): Promise<T> {
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  try {
    return await work(db)
  } finally {
    await close()
  }
}

/** A migration that neither version has, for a release after which no other was added. */
const added = '9999-added'

test('a desktop runs on, and keys work, while the service is upgraded from the latest release', async () => {
  const old = await ServiceProcess.start(data, env, undefined, release.checkout)
  const before = await old.credentials()
  const { body: made } = await call(before, 'POST', '~/api-keys', { name: 'made before', role: 'viewer' })
  key = made.apiKey
  const [sandboxId = ''] = await makeSandboxes(before, 1)
  const desktop = new EffectSandbox(new Sandglass(before), sandboxId)
  await desktop.run(openWindow)
  const window = 'xdotool search --onlyvisible --name opened'
  const opened = await desktop.run(window)
  assert.match(opened, /^\d+\n$/)
  const processes = await processesOf(desktop)
  assert.match(processes.join(), /Xtigervnc.*xterm|xterm.*Xtigervnc/)
  const shown = await desktop.look()
  const migrations = await withDatabase(data, async db => {
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db)
    return rows.map(({ name }) => name)
  })
  const machines = await runningMachines(engine)
  await stop(old)
  assert.deepEqual(await runningMachines(engine), machines)

  upgraded = await ServiceProcess.start(data, env)
  const after = await upgraded.credentials()
  assert.deepEqual([after.apiKey, after.operatorKey], [before.apiKey, before.operatorKey])
  assert.equal((await call(after, 'GET', '~/projects', undefined, key)).status, 200)
  const same = new EffectSandbox(new Sandglass(after), sandboxId)
  // Its machine is available when a worker has connected to it.
  await waitFor(async () => (await same.look().catch(() => undefined)) !== undefined)
  assert.deepEqual(await same.look(), shown)
  assert.equal(await same.run(window), opened)
  const there = new Set(await processesOf(same))
  assert.deepEqual(
    processes.filter(one => !there.has(one)),
    [],
  )
  await same.perform(
    { type: 'keyboard:type', content: 'typed after the upgrade', treatNewLineAsEnter: false },
    { type: 'keyboard:hotkey', keys: 'Return' },
  )
  await waitFor(async () => (await same.run('cat typed')) === 'typed after the upgrade\n')

  const newer = migrationNames.filter(name => !migrations.includes(name))
  const backups = await readdir(join(data, upgradeBackups, 'backups')).catch(() => [])
  assert.equal(backups.length, newer.length > 0 ? 1 : 0, `${newer} were applied, and there are ${backups}`)
})

test('the release restores what this version has backed up before the upgrade', async () => {
  const place = join(data, upgradeBackups)
  // Without a migration since the release, there was nothing to back up, and a backup of now is as old.
  if (!existsSync(place)) await command(here, 'backup', { SANDGLASS_DATA: data }, '--to', place)
  const target = join(await temporaryFolder(), 'data')
  await command(release.checkout, 'restore', { SANDGLASS_DATA: target }, '--from', place)
  const restored = await ServiceProcess.start(target, {}, undefined, release.checkout)
  const credentials = await restored.credentials()
  assert.equal((await call(credentials, 'GET', '~/projects')).status, 200)
  assert.equal((await call(credentials, 'GET', '~/projects', undefined, key)).status, 200)
  await stop(restored)
})

test('the release refuses a newer database in one sentence, and leaves the desktop alone', async () => {
  await withDatabase(data, db =>
    sql`INSERT INTO kysely_migration (name, timestamp) VALUES (${added}, 'now')`.execute(db),
  )
  assert.ok(upgraded)
  await stop(upgraded)
  const machines = await runningMachines(engine)
  const old = await ServiceProcess.start(data, env, undefined, release.checkout)
  const sentence =
    /^The database cannot be used .*: a newer version of the service has upgraded it \(.* is unknown to version .*\.$/m
  assert.match(await old.refusal(), sentence)
  assert.doesNotMatch(old.printed, /^ {4}at /m)
  assert.deepEqual(await runningMachines(engine), machines)
  assert.equal(machines.length, 1)
})
