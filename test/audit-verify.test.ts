import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

const command = new URL('../packages/server/src/audit-verify.ts', import.meta.url).pathname

async function verify(data: string, ...args: readonly string[]): Promise<{ code: number; printed: string }> {
  const env = { PATH: process.env['PATH'] ?? '', SANDGLASS_DATA: data }
  return promisify(execFile)(process.execPath, [command, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, printed: stdout + stderr }),
  )
}

test('the command confirms an intact audit log, whether the service runs or not, and names the first broken entry', async () => {
  const data = await temporaryFolder()
  const heads = join(await temporaryFolder(), 'heads.json')
  const service = await ServiceProcess.start(data)
  const credentials = await service.credentials()
  for (const name of ['a', 'b', 'c'])
    assert.equal((await call(credentials, 'POST', '~/projects', { name })).status, 200)
  const intact = await verify(data, '--save', heads)
  assert.deepEqual([intact.code, /is intact: \d+ entries in \d+ chains/.test(intact.printed)], [0, true])

  const { db, close } = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  const rows = db.selectFrom('audit_log').select('id').where('operation', '=', 'createProject').orderBy('id')
  const [, second] = await rows.execute()
  await sql`ALTER TABLE audit_log DISABLE TRIGGER ALL`.execute(db)
  await sql`UPDATE audit_log SET actor_id = 'somebody else' WHERE id >= ${second?.id}`.execute(db)
  await sql`ALTER TABLE audit_log ENABLE TRIGGER ALL`.execute(db)
  await close()
  service.signal('SIGTERM')
  await service.exit()

  const broken = await verify(data, '--expect', heads)
  assert.equal(broken.code, 1)
  const expected = `the chain of organization ${credentials.orgId}, link \\d+, entry ${second?.id}: the entry or its link was changed`
  assert.match(broken.printed, new RegExp(expected))
})
