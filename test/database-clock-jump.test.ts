import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { EmbeddedPostgres, embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

/**
 * The functions that tell the time are found before those of PostgreSQL, so that the clock of the database can be set without
 * setting that of the host.
 */
const skewed = `
  CREATE SCHEMA skewed;
  CREATE TABLE skewed.by (hours double precision NOT NULL);
  INSERT INTO skewed.by VALUES (0);
  CREATE FUNCTION skewed.skew() RETURNS interval STABLE LANGUAGE sql AS
    'SELECT make_interval(secs => hours * 3600) FROM skewed.by';
  CREATE FUNCTION skewed.now() RETURNS timestamptz STABLE LANGUAGE sql AS
    'SELECT pg_catalog.now() + skewed.skew()';
  CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
    'SELECT pg_catalog.clock_timestamp() + skewed.skew()'`

const folder = await mkdtemp(join(tmpdir(), 'sandglass-clock-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = join(folder, 'postgres')
const database = await EmbeddedPostgres.start(postgres, { info: () => {}, warn: () => {} })
cleanup.defer(() => database.stop())
const outside = openPool(embeddedAddress(postgres), () => {})
cleanup.defer(() => outside.close())
for (const statement of skewed.split(';\n')) await sql.raw(statement).execute(outside.db)

const setClock = (hours: number) => sql`UPDATE skewed.by SET hours = ${hours}`.execute(outside.db)

const service = await startTestService(
  {
    DATABASE_URL:
      `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(postgres)}` +
      `&options=${encodeURIComponent('-c search_path=public,skewed,pg_catalog')}`,
  },
  async () => paperEngines(),
)

async function create(maxLifeSeconds: number): Promise<string> {
  const created = await service.post('~/sandboxes', { shapeName: 'linux-desktop', maxLifeSeconds })
  assert.equal(created.status, 200, created.text)
  return created.body.id
}

const isThere = async (id: string) => (await service.get(`~/sandboxes/${id}`)).status === 200
const isDoubted = async () =>
  (await service.get('/readyz')).body.degraded?.some(({ check }: { check?: string }) => check === 'clock') ===
  true

test('when the clock of the database jumps ahead by hours, nothing ends, and everything continues once it is right', async () => {
  const ids = [await create(3600), await create(7200)]
  const { body: key } = await service.post('~/api-keys', {
    name: 'brief',
    role: 'viewer',
    expiresInSeconds: 3600,
  })
  const { body: revoked } = await service.post('~/api-keys', { name: 'old', role: 'viewer' })
  await service.remove(`~/api-keys/${revoked.id}`)

  await setClock(30)
  await waitFor(isDoubted)
  // Its end is soon in the new time, so that the service looks for what has ended.
  const brief = await create(1)
  await waitFor(async () => {
    const row = await sql<{ isOver: boolean }>`SELECT expires_at < skewed.now() AS "isOver"
      FROM sandboxes WHERE id = ${brief}`.execute(outside.db)
    return row.rows[0]?.isOver === true
  })
  for (let looks = 0; looks < 5; looks++)
    for (const id of [...ids, brief]) assert.ok(await isThere(id), `${id} has ended`)
  assert.equal((await service.get('~/stats', { key: key.apiKey })).status, 401)
  for (const path of ['~/sandboxes', '~/events', '~/api-keys', '~/limits'])
    assert.equal((await service.get(path)).status, 200, path)

  await setClock(0)
  await waitFor(async () => !(await isDoubted()))
  for (const id of ids) assert.ok(await isThere(id))
  await waitFor(async () => (await service.get('~/stats', { key: key.apiKey })).status === 200)
  // Time goes on: what ends now ends now.
  const last = await create(1)
  await waitFor(async () => !(await isThere(last)))
  for (const id of ids) assert.ok(await isThere(id))
})

test('when it jumps back by hours, nothing ends, and calls, events and repetitions go on in order', async () => {
  const id = await create(3600)
  const idempotency = { headers: { 'idempotency-key': 'once' } }
  const first = await service.post('~/projects', { name: 'once' }, idempotency)
  await setClock(-30)
  const again = await service.post('~/projects', { name: 'once' }, idempotency)
  assert.equal(again.body.id, first.body.id)
  const during = await create(3600)
  assert.ok(await isThere(id))
  assert.equal((await service.delete(`~/sandboxes/${during}`)).status, 200)
  await setClock(0)
  const { body: events } = await service.get('~/events?limit=1000')
  const subjects = events.events.map(({ subject }: { subject: string }) => subject)
  assert.ok(subjects.indexOf(id) < subjects.indexOf(during), 'an event that came later is listed later')
  assert.ok(await isThere(id))
  assert.equal((await service.get('/readyz')).status, 200)
})
