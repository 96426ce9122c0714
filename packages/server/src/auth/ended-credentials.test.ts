import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startTestService } from '../testing/test-service.ts'
import { forgetEndedCredentials } from './ended-credentials.ts'

const service = await startTestService()
const { db } = service.pool
const longAgo = sql<Date>`now() - interval '25 hours'`

async function keyIds(): Promise<string[]> {
  return (await db.selectFrom('api_keys').select('id').execute()).map(({ id }) => id)
}

async function tokenIds(): Promise<string[]> {
  return (await db.selectFrom('trial_tokens').select('id').execute()).map(({ id }) => id)
}

test('an API key is forgotten a day after it was revoked, and one that has only expired is kept', async () => {
  const make = async (name: string) =>
    (await service.post('~/api-keys', { name, role: 'viewer' })).body.id as string
  const [old, recent, expired] = [await make('old'), await make('recent'), await make('expired')]
  for (const id of [old, recent]) await service.remove(`~/api-keys/${id}`)
  await db.updateTable('api_keys').set({ revoked_at: longAgo }).where('id', '=', old).execute()
  await db.updateTable('api_keys').set({ expires_at: longAgo }).where('id', '=', expired).execute()
  await forgetEndedCredentials(db)
  const left = await keyIds()
  assert.ok(!left.includes(old))
  assert.ok(left.includes(recent) && left.includes(expired))
  // It can be given more time, so it is no garbage.
  const revived = await service.call('PATCH', `~/api-keys/${expired}`, { body: { expiresInSeconds: 60 } })
  assert.equal(revived.status, 200, revived.text)
})

test('a trial token is forgotten a day after its end, but not while there is a sandbox of it', async () => {
  const make = async () =>
    (await service.post('~/trial-tokens', { shapeNames: ['linux-desktop'] })).body.id as string
  const [gone, used, valid] = [await make(), await make(), await make()]
  for (const id of [gone, used])
    await db.updateTable('trial_tokens').set({ expires_at: longAgo }).where('id', '=', id).execute()
  await sql`INSERT INTO sandboxes (id, org_id, project_id, name, shape_name, status, expires_at, price_per_hour, created_by)
    SELECT ${randomUUID()}, org_id, id, 'of a trial', 'linux-desktop', 'RUNNING', now(), 1, ${`trialToken:${used}`}
    FROM projects WHERE org_id = ${service.orgId} LIMIT 1`.execute(db)
  await forgetEndedCredentials(db)
  const left = await tokenIds()
  assert.ok(!left.includes(gone))
  assert.ok(left.includes(used) && left.includes(valid))
})
