import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { cleanup } from '../testing/cleanup.ts'
import { openPool } from './database.ts'
import { EmbeddedPostgres, embeddedAddress } from './embedded/server.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-pool-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const server = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.warn })
cleanup.defer(() => server.stop())
const { db, close } = openPool(embeddedAddress(folder), () => {})
cleanup.defer(close)

const notes = () => sql`select * from notes`.execute(db)

test('a statement that repeats is parsed once per connection', async () => {
  await sql`create table notes (text text)`.execute(db)
  for (let use = 0; use < 3; use++) await notes()
  const { rows } =
    await sql`select 1 from pg_prepared_statements where statement = 'select * from notes'`.execute(db)
  assert.equal(rows.length, 1)
})

test('a connection whose plans no longer fit the tables is replaced after one failure', async () => {
  for (let use = 0; use < 3; use++) await notes()
  await sql`alter table notes add column author text`.execute(db)
  await sql`insert into notes values ('hello', 'me')`.execute(db)
  await assert.rejects(notes(), { code: '0A000' })
  assert.deepEqual((await notes()).rows, [{ text: 'hello', author: 'me' }])
})
