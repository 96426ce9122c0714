import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { seeded } from '@sandglass/wire/testing'
import { sql } from 'kysely'
import { verifyAudit } from '../packages/server/src/audit/chain.ts'
import { openPool } from '../packages/server/src/db/database.ts'
import { postgresHome } from '../packages/server/src/db/embedded/binaries.ts'
import { earlierPrograms } from '../packages/server/src/db/embedded/earlier-programs.ts'
import { EmbeddedPostgres, embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { machineData, stop } from './support/machine-process.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

/** `npm run soak:tests` has more. */
const kills = Number(process.env['CHAOS_KILLS'] ?? 3)
const seed = Number(process.env['CHAOS_SEED'] ?? 4780)

const here = join(import.meta.dirname, '..')
const silent = { info: () => {}, warn: console.warn }
/** As the command itself installs them. */
const programs = await earlierPrograms(17, {
  cache: join(here, 'node_modules/.cache'),
  tell: console.log,
})

/** Runs the service on a PostgreSQL 17 in the folder in which its own would be, and stops both. */
async function makeOldInstallation(data: string, env: Record<string, string> = {}) {
  const folder = join(data, 'postgres')
  await mkdir(data, { recursive: true })
  const server = await EmbeddedPostgres.start(folder, silent, { home: programs })
  try {
    const url = `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(folder)}`
    const service = await ServiceProcess.start(data, { ...env, DATABASE_URL: url })
    const credentials = await service.credentials()
    for (let number = 0; number < 20; number++)
      assert.equal((await call(credentials, 'POST', '~/projects', { name: `project ${number}` })).status, 200)
    const { body } = await call(credentials, 'POST', '~/api-keys', { name: 'made before', role: 'viewer' })
    const { body: projects } = await call(credentials, 'GET', '~/projects')
    await stop(service)
    return { key: body.apiKey, apiKey: credentials.apiKey, projects }
  } finally {
    await server.stop()
  }
}

function startCommand(data: string, env: Record<string, string>, ...args: string[]): ChildProcess {
  const settings = { PATH: process.env['PATH'], SANDGLASS_MACHINES: 'none', SANDGLASS_VMS: 'off', ...env }
  return spawn(process.execPath, [join(here, 'packages/server/src/upgrade-database.ts'), ...args], {
    env: { ...settings, SANDGLASS_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs the command and returns its exit code and what it printed. */
async function upgrade(data: string, env: Record<string, string> = {}, ...args: string[]) {
  const child = startCommand(data, env, ...args)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (printed += chunk))
  const [code] = await once(child, 'close')
  return { code, printed }
}

async function withDatabase<T>(data: string, work: (db: ReturnType<typeof openPool>['db']) => Promise<T>) {
  const { db, close } = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  try {
    return await work(db)
  } finally {
    await close()
  }
}

/** What every table contains. */
async function contentOf(data: string, home?: string): Promise<Record<string, string>> {
  const server = await EmbeddedPostgres.start(join(data, 'postgres'), silent, home ? { home } : {})
  try {
    return await withDatabase(data, async db => {
      const tables = await sql<{ name: string }>`
        SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^kysely' ORDER BY 1`.execute(
        db,
      )
      const content: Record<string, string> = {}
      for (const { name } of tables.rows) {
        const { rows } = await sql<{ digest: string }>`
          SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest
          FROM ${sql.table(name)} t`.execute(db)
        content[name] = rows[0]?.digest ?? ''
      }
      return content
    })
  } finally {
    await server.stop()
  }
}

test('a database of the last PostgreSQL is refused with the command that upgrades it, after which everything is there', async () => {
  const { data, env } = await machineData()
  const before = await makeOldInstallation(data, env)
  const refused = await ServiceProcess.start(data, env)
  assert.match(
    await refused.refusal(),
    /^The database in \S+ was made by PostgreSQL 17, and this version of the service has PostgreSQL 18: run npm run upgrade-database, and then start the service\.$/m,
  )
  assert.doesNotMatch(refused.printed, /^ {4}at /m)

  const { code, printed } = await upgrade(data, env)
  assert.equal(code, 0, printed)
  assert.match(printed, /^The database of PostgreSQL 17 is in (\S+\/postgres\/cluster-17)\. Remove it when/m)
  assert.equal(await readFile(join(data, 'postgres/cluster-17/PG_VERSION'), 'utf8'), '17\n')
  const service = await ServiceProcess.start(data, env)
  const after = await service.credentials()
  assert.equal(after.apiKey, before.apiKey)
  assert.deepEqual((await call(after, 'GET', '~/projects')).body, before.projects)
  assert.equal((await call(after, 'GET', '~/projects', undefined, before.key)).status, 200)
  assert.equal((await call(after, 'POST', '~/projects', { name: 'after the upgrade' })).status, 200)
  const busy = await upgrade(data, env)
  assert.deepEqual([busy.code, /There is nothing to do/.test(busy.printed)], [0, true], busy.printed)
  await withDatabase(data, async db => {
    assert.deepEqual((await verifyAudit(db)).breaks, [])
    const { rows } = await sql<{ server_version: string }>`SHOW server_version`.execute(db)
    assert.match(rows[0]?.server_version ?? '', /^18\./)
  })
  await stop(service)
})

test(`an upgrade of the database that is killed at ${kills} random moments is repeated, and loses nothing`, {
  timeout: 60_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const data = join(await temporaryFolder(), 'data')
  await makeOldInstallation(data)
  const content = await contentOf(data, programs)
  assert.match(content['projects'] ?? '', /^2[01] /)
  const kept = `${data}-kept`
  const copy = async (from: string, to: string) => {
    await rm(to, { recursive: true, force: true })
    await promisify(execFile)('cp', ['-a', from, to])
  }
  await copy(data, kept)
  const began = performance.now()
  const first = await upgrade(data)
  assert.equal(first.code, 0, first.printed)
  const tookMs = performance.now() - began
  assert.deepEqual(await contentOf(data), content)

  const random = seeded(seed)
  for (let kill = 0; kill < kills; kill++) {
    context.signal.throwIfAborted()
    await copy(kept, data)
    const child = startCommand(data, {})
    const ended = once(child, 'exit')
    await delay(random() * tookMs)
    child.kill('SIGKILL')
    await ended
    const { code, printed } = await upgrade(data)
    assert.equal(code, 0, printed)
    assert.deepEqual(await contentOf(data), content)
  }

  // Between the two moments in which the old one is put aside and the new one takes its place, there is no database.
  const folder = join(data, 'postgres')
  await rename(join(folder, 'cluster'), join(folder, 'upgraded'))
  const refused = await ServiceProcess.start(data)
  assert.match(
    await refused.refusal(),
    /^The upgrade of the database in \S+ was interrupted: run npm run upgrade-database again, and then start the service\.$/m,
  )
  const { code, printed } = await upgrade(data)
  assert.equal(code, 0, printed)
  assert.deepEqual(await contentOf(data), content)

  await copy(kept, data)
  for (const [settings, args, says] of [
    [{ SANDGLASS_DISK_RESERVE: '1000000000' }, [], /has too little space: the backup needs \d+ MiB/],
    [{}, ['--programs', postgresHome()], /has PostgreSQL 18, and the database was made by PostgreSQL 17\.$/m],
    [{}, ['--programs', data], /bin\/postgres cannot be run/],
    [{ DATABASE_URL: 'postgres://x' }, [], /^DATABASE_URL names a database that this service does not run/],
  ] as const) {
    const failed = await upgrade(data, settings, ...args)
    assert.equal(failed.code, 1)
    assert.match(failed.printed, says)
    assert.doesNotMatch(failed.printed, /^ {4}at /m)
  }
  const names = await readdir(folder)
  assert.deepEqual(
    names.filter(name => /^(cluster|upgraded)/.test(name)),
    ['cluster'],
  )
  assert.deepEqual(await contentOf(data, programs), content)
})

test('a database of a newer PostgreSQL is refused by an older version of the service', async () => {
  const data = join(await temporaryFolder(), 'data')
  await mkdir(join(data, 'postgres/cluster'), { recursive: true })
  await writeFile(join(data, 'postgres/cluster/PG_VERSION'), '99\n')
  const refused = await ServiceProcess.start(data)
  assert.match(
    await refused.refusal(),
    /^The database in \S+ was made by PostgreSQL 99, .*: start the newer version of the service that made it\.$/m,
  )
})
