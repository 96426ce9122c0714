import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { Receiver, verify } from '../packages/server/src/modules/webhooks/testing/receiver.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { nodeIdIn } from './support/nodes.ts'
import { type Credentials, call, ServiceProcess } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

/** Creates keys until the service does not answer any more, and returns the ids of those that were acknowledged. */
async function change(credentials: Credentials, times: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < times; n++) {
    const { status, body } = await call(credentials, 'POST', '~/api-keys', {
      name: `key ${n}`,
      role: 'viewer',
    })
    if (status === 0) break
    if (status === 200) ids.push(body.id)
  }
  return ids
}

test('of two processes that send to webhooks one is killed, and every event still arrives', async () => {
  const { folder, env } = await sharedDatabase()
  const settings = { ...env, SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32', SANDGLASS_RATE_LIMIT: '1000000' }
  const [first, second] = await Promise.all(
    ['a', 'b'].map(name => ServiceProcess.start(join(folder, name), settings)),
  )
  assert.ok(first && second)
  const [a, b] = await Promise.all([first.credentials(), second.credentials()])
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  cleanup.defer(close)

  // Some messages fail at first, so that there are retries when the process is killed.
  let requests = 0
  const receiver = await Receiver.start(response => {
    requests++
    response.writeHead(requests % 7 === 0 ? 500 : 200).end()
  })
  const { body: hook } = await call(a, 'POST', '~/webhooks', { url: receiver.url, types: ['key.*'] })
  const changes = Promise.all([change(a, 200), change(b, 100)])
  await waitFor(() => receiver.got.length > 20)
  const { leased_by: holder } = await db
    .selectFrom('webhooks')
    .select('leased_by')
    .where('id', '=', hook.id)
    .executeTakeFirstOrThrow()
  // The process whose requests the receiver gets is killed.
  const isFirst = holder === (await nodeIdIn(join(folder, 'a')))
  await (isFirst ? first : second).kill()
  const acknowledged = (await changes).flat()
  await sql`UPDATE webhooks SET leased_until = '-infinity' WHERE leased_by = ${holder}`.execute(db)
  await sql`UPDATE webhook_deliveries SET due_at = now() WHERE status = 'pending'`.execute(db)

  const logged = await db.selectFrom('events').select('subject').where('type', '=', 'key.created').execute()
  const subjects = new Set(logged.map(({ subject }) => subject))
  for (const id of acknowledged) assert.ok(subjects.has(id), `${id} was acknowledged and is not in the log`)
  const arrived = () => new Set(receiver.got.map(({ body }) => body.data.subject))
  const isDelivered = async () =>
    (await db.selectFrom('webhook_deliveries').select('id').where('status', '=', 'pending').execute())
      .length === 0
  await waitFor(async () => {
    // Retries are due at once, whatever their schedule is.
    await sql`UPDATE webhook_deliveries SET due_at = now() WHERE status = 'pending'`.execute(db)
    return acknowledged.every(id => arrived().has(id)) && (await isDelivered())
  })

  const sent = await db.selectFrom('webhook_deliveries').select('message_id').execute()
  assert.deepEqual(new Set(receiver.ids), new Set(sent.map(({ message_id: id }) => id)))
  assert.equal(new Set(sent.map(({ message_id: id }) => id)).size, sent.length, 'an event has one delivery')
  for (const received of receiver.got) verify(hook.secret, received)
})
