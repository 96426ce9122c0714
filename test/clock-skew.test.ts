import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enter } from '../packages/server/src/testing/live-viewer.ts'
import { call, ServiceProcess } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'
import { withClock } from './support/with-clock.ts'

const hourMs = 3_600_000

const database = await sharedDatabase()
const { folder, env } = database
const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
cleanup.defer(close)

async function startNode(name: string, clock: Parameters<typeof withClock>[0]) {
  const data = join(folder, name)
  const service = await ServiceProcess.start(data, { ...env, ...withClock(clock) })
  const nodeId = await readFile(join(data, 'node-id'), 'utf8')
  return { credentials: await service.credentials(), nodeId: nodeId.trim() }
}

/** A sandbox of a node, without a machine. */
async function insertSandbox(orgId: string, nodeId: string): Promise<string> {
  const id = randomUUID()
  await sql`INSERT INTO sandboxes (id, org_id, project_id, name, shape_name, status, expires_at, node_id, price_per_hour, created_by)
    SELECT ${id}, org_id, id, 'lasting', 'linux-desktop', 'RUNNING', now() + interval '1 day', ${nodeId}, 1, 'service:test'
    FROM projects WHERE org_id = ${orgId} LIMIT 1`.execute(db)
  return id
}

test('a live token of a node an hour behind opens a room of a node an hour ahead', async () => {
  const behind = await startNode('behind', { ms: -hourMs })
  const ahead = await startNode('ahead', { ms: hourMs })
  const id = await insertSandbox(ahead.credentials.orgId, ahead.nodeId)
  const { status, body } = await call(behind.credentials, 'GET', `~/sandboxes/${id}`)
  assert.equal(status, 200)
  const { iat = 0, exp = 0 } = decodeJwt(body.connectDetails.endUserToken)
  assert.equal(exp - iat, 3600)
  const viewer = await enter(body.connectDetails)
  assert.equal((await viewer.message('welcome')).kind, 'welcome')
})

test('a clock that jumps while the service runs ends nothing early', async () => {
  const file = join(folder, 'clock')
  await writeFile(file, '0')
  const { credentials } = await startNode('jumping', { file })
  const { body: key } = await call(credentials, 'POST', '~/api-keys', {
    name: 'brief',
    role: 'viewer',
    expiresInSeconds: 600,
  })
  const read = () => call(credentials, 'GET', '~/projects', undefined, key.apiKey)
  assert.equal((await read()).status, 200)
  for (const offset of [hourMs, -hourMs, 0]) {
    await writeFile(file, String(offset))
    for (let i = 0; i < 5; i++) assert.equal((await read()).status, 200)
  }
})
