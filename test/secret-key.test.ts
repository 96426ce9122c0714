import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { SecretKeys } from '../packages/server/src/auth/secret-keys.ts'
import { type Database, openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { NodeDatabase } from './support/nodes.ts'
import { startPaperNode } from './support/paper-nodes.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const command = new URL('../packages/server/src/secret-key.ts', import.meta.url).pathname

async function secretKey(data: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', SANDGLASS_DATA: data }
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...args], { env })
  return stdout
}

async function inDatabase<T>(data: string, query: (db: Database) => Promise<T>): Promise<T> {
  const pool = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  try {
    return await query(pool.db)
  } finally {
    await pool.close()
  }
}

async function stop(service: ServiceProcess): Promise<void> {
  service.signal('SIGTERM')
  assert.equal(await service.exit(), 0, service.printed)
}

/** Every row of every table as text, as a backup would contain it. */
async function dump(db: Database): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    SELECT query_to_xml(format('SELECT * FROM %I', tablename), true, false, '')::text AS text
    FROM pg_tables WHERE schemaname = 'public'`.execute(db)
  return rows.map(({ text }) => text).join('\n')
}

test('the first start makes a key that only this user can read, and neither the database nor the output contains it', async () => {
  const data = await temporaryFolder()
  const service = await ServiceProcess.start(data)
  const file = join(data, 'secret-key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const text = (await readFile(file, 'utf8')).trim()
  const rows = await inDatabase(data, dump)
  const bytes = Buffer.from(text.slice(4), 'base64url')
  for (const form of [text, bytes.toString('hex'), bytes.toString('base64')]) assert.ok(!rows.includes(form))
  assert.ok(rows.includes(SecretKeys.parse(text)?.ids[0] ?? assert.fail()))
  assert.ok(!service.printed.includes(text))
})

test('an upgrade moves the key out of the database, and the same key stays in use', async () => {
  const data = await temporaryFolder()
  await stop(await ServiceProcess.start(data))
  const before = await ServiceProcess.start(data)
  const secret = randomBytes(32)
  const legacy = sql`UPDATE service_keys SET secret = ${secret}, key_id = NULL`
  await inDatabase(data, db => legacy.execute(db))
  await stop(before)
  await rm(join(data, 'secret-key'))
  const after = await ServiceProcess.start(data)
  const kept = await readFile(join(data, 'secret-key'), 'utf8')
  assert.equal(kept, new SecretKeys(secret).text)
  assert.equal((await stat(join(data, 'secret-key'))).mode & 0o777, 0o600)
  const { rows } = await inDatabase(data, db =>
    sql<{ secret: Buffer | null; key_id: string }>`SELECT secret, key_id FROM service_keys`.execute(db),
  )
  assert.deepEqual(rows, [{ secret: null, key_id: new SecretKeys(secret).ids[0] }])
  await stop(after)
  assert.equal(
    (await call(await (await ServiceProcess.start(data)).credentials(), 'GET', '~/stats')).status,
    200,
  )
})

test('a process with a wrong key or none is refused and learns what to do', async () => {
  const { folder, env } = await sharedDatabase()
  await ServiceProcess.start(join(folder, 'a'), env)
  const { DATABASE_URL } = env
  const [none, wrong] = await Promise.all([
    ServiceProcess.start(join(folder, 'b'), { DATABASE_URL }),
    ServiceProcess.start(join(folder, 'c'), {
      DATABASE_URL,
      SANDGLASS_SECRET_KEY: SecretKeys.generate().text.trim(),
    }),
  ])
  for (const refused of [none, wrong]) {
    const printed = await refused.refusal()
    assert.match(printed, /This database belongs to the secret key [0-9a-f]{16}/)
    assert.match(printed, /SANDGLASS_SECRET_KEY_FILE/)
    assert.doesNotMatch(printed, /sgs_/)
  }
  const file = join(folder, 'key')
  await writeFile(file, env.SANDGLASS_SECRET_KEY, { mode: 0o600 })
  const right = await ServiceProcess.start(join(folder, 'b'), {
    DATABASE_URL,
    SANDGLASS_SECRET_KEY_FILE: file,
  })
  assert.equal((await call(await right.credentials(), 'GET', '~/stats')).status, 200)
})

test('a key is rotated without losing the old one, and the old one is removed afterwards', async () => {
  const data = await temporaryFolder()
  await stop(await ServiceProcess.start(data))
  const file = join(data, 'secret-key')
  const old = await readFile(file, 'utf8')
  assert.match(await secretKey(data, '--rotate'), /Restart the service/)
  const both = SecretKeys.parse(await readFile(file, 'utf8')) ?? assert.fail()
  assert.equal(both.ids.length, 2)
  assert.ok((await readFile(file, 'utf8')).endsWith(old))
  await stop(await ServiceProcess.start(data))
  await secretKey(data, '--remove-old')
  assert.deepEqual(SecretKeys.parse(await readFile(file, 'utf8'))?.ids, [both.ids[0]])
  assert.match(await secretKey(data), new RegExp(`the key ${both.ids[0]}, which is in use`))
})

test('a process whose key is lost can be started with another one', async () => {
  const data = await temporaryFolder()
  await stop(await ServiceProcess.start(data))
  await writeFile(join(data, 'secret-key'), SecretKeys.generate().text)
  assert.equal(await (await ServiceProcess.start(data)).exit(), 1)
  assert.match(await secretKey(data, '--lost'), /no longer valid/)
  const again = await ServiceProcess.start(data)
  assert.equal((await call(await again.credentials(), 'GET', '~/stats')).status, 200)
})

test('the environment of a sandbox is encrypted in the database, also after an upgrade and a rotation', async () => {
  const database = await NodeDatabase.start()
  const node = await startPaperNode(database, { places: 5 })
  const env = { API_TOKEN: 'a-secret-of-the-caller' }
  const { body: sandbox } = await node.post(
    '~/sandboxes',
    { shapeName: 'small', env },
    { headers: { 'idempotency-key': 'once' } },
  )
  assert.ok(sandbox.id, JSON.stringify(sandbox))
  assert.doesNotMatch(await dump(database.db), /a-secret-of-the-caller|API_TOKEN/)

  // An earlier version stored it in clear. The next start encrypts it, with whatever key is the newest.
  await sql`UPDATE machines SET spec = (spec - 'sealedEnv') || jsonb_build_object('env', ${JSON.stringify(env)}::jsonb)`.execute(
    database.db,
  )
  assert.match(await dump(database.db), /a-secret-of-the-caller/)
  const keys = SecretKeys.parse(database.env['SANDGLASS_SECRET_KEY'] ?? '') ?? assert.fail()
  const keyOfEnv = async () => {
    const { rows } = await sql<{ key: string }>`
      SELECT split_part(spec->>'sealedEnv', '.', 1) AS key FROM machines`.execute(database.db)
    return rows.map(({ key }) => key)
  }
  await startPaperNode(database, { places: 0 })
  assert.doesNotMatch(await dump(database.db), /a-secret-of-the-caller|API_TOKEN/)
  assert.deepEqual(await keyOfEnv(), [keys.ids[0]])
  const rotated = keys.rotated()
  database.env['SANDGLASS_SECRET_KEY'] = rotated.text.trim().replaceAll('\n', ',')
  await startPaperNode(database, { places: 0 })
  assert.deepEqual(await keyOfEnv(), [rotated.ids[0]])
})
