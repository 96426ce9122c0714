import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { type Database, openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

function ownerOf(folder: string): Database {
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  cleanup.defer(close)
  return db
}

/** The roles that the connections of services have now. */
async function rolesOfServices(db: Database): Promise<{ role: string; superuser: boolean }[]> {
  const { rows } = await sql<{ role: string; superuser: boolean }>`
    SELECT DISTINCT usename AS role, usesuper AS superuser FROM pg_stat_activity JOIN pg_user USING (usename)
    WHERE application_name = 'sandglass-listener'`.execute(db)
  return rows
}

test('the service works in the embedded database with a role that owns nothing, and recovers when its connections end', async () => {
  const data = await temporaryFolder()
  const service = await ServiceProcess.start(data)
  const db = ownerOf(data)
  assert.doesNotMatch(service.printed, /owns the tables/)
  assert.deepEqual(await rolesOfServices(db), [{ role: 'sandglass_service', superuser: false }])
  const credentials = await service.credentials()
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sandglass_service'`.execute(
    db,
  )
  await waitFor(async () => (await call(credentials, 'POST', '~/projects', { name: 'again' })).status === 200)
  assert.deepEqual(await rolesOfServices(db), [{ role: 'sandglass_service', superuser: false }])
})

test('an external database is migrated by its owner and used by a role that owns nothing', async () => {
  const { folder, env } = await sharedDatabase()
  const db = ownerOf(folder)
  await sql`CREATE ROLE api LOGIN`.execute(db)
  const two = {
    ...env,
    DATABASE_URL: env.DATABASE_URL.replace('sandglass@', 'api@'),
    SANDGLASS_DATABASE_OWNER_URL: env.DATABASE_URL,
  }
  const first = await ServiceProcess.start(join(folder, 'a'), two)
  assert.equal((await call(await first.credentials(), 'POST', '~/projects', { name: 'made' })).status, 200)
  assert.deepEqual(await rolesOfServices(db), [{ role: 'api', superuser: false }])
  assert.doesNotMatch(first.printed, /owns the tables/)

  // Once the tables exist, a process needs only its own role.
  const { SANDGLASS_DATABASE_OWNER_URL: _, ...one } = two
  const second = await ServiceProcess.start(join(folder, 'b'), one)
  assert.equal((await call(await second.credentials(), 'GET', '~/stats')).status, 200)
})

test('a role that owns the tables is reported, and refused where two roles are set', async () => {
  const { folder, env } = await sharedDatabase()
  const single = await ServiceProcess.start(join(folder, 'a'), env)
  assert.match(single.printed, /The role in DATABASE_URL owns the tables.*SANDGLASS_DATABASE_OWNER_URL/)
  const same = await ServiceProcess.start(join(folder, 'b'), {
    ...env,
    SANDGLASS_DATABASE_OWNER_URL: env.DATABASE_URL,
  })
  assert.match(await same.refusal(), /the role sandglass of DATABASE_URL has the rights of sandglass/)
})
