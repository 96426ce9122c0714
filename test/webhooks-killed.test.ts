import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import { seeded } from '@sandglass/wire/testing'
import { sql } from 'kysely'
import { type Database, openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { eventIdOf } from '../packages/server/src/events/position.ts'
import { Receiver, verify } from '../packages/server/src/modules/webhooks/testing/receiver.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { nodeIdIn } from './support/nodes.ts'
import { type Credentials, call, ServiceProcess } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const seed = Number(process.env['CHAOS_SEED'] ?? 4780)
const kills = 4

/** A database for several services, and a receiver that refuses some messages, so that there are retries at every moment. */
async function open() {
  const { folder, env } = await sharedDatabase()
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  cleanup.defer(close)
  let requests = 0
  const receiver = await Receiver.start(
    response => void response.writeHead(++requests % 7 === 0 ? 500 : 200).end(),
  )
  const settings = { ...env, SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32', SANDGLASS_RATE_LIMIT: '1000000' }
  const start = (name: string) => ServiceProcess.start(join(folder, name), settings)
  return { db, receiver, start, folder }
}

interface CreatedHook {
  readonly id: string
  readonly secret: string
}

async function createHook(credentials: Credentials, { url }: Receiver): Promise<CreatedHook> {
  const { status, body } = await call(credentials, 'POST', '~/webhooks', { url, types: ['key.*'] })
  assert.equal(status, 200)
  return body
}

/** Creates keys until there are enough or the service is gone, and adds the ids of those that were acknowledged. */
async function change(credentials: Credentials, times: number, acknowledged: string[]): Promise<void> {
  for (let n = 0; n < times; n++) {
    const key = { name: `key ${n}`, role: 'viewer' }
    const { status, body } = await call(credentials, 'POST', '~/api-keys', key)
    if (status === 0) return
    if (status === 200) acknowledged.push(body.id)
  }
}

/** Waits until nothing is left to send, and compares what has arrived with the log. Retries do not wait for their schedule. */
async function requireEverything(
  db: Database,
  hook: CreatedHook,
  receiver: Receiver,
  acknowledged: readonly string[],
): Promise<void> {
  const readLog = () =>
    db
      .selectFrom('events')
      .select(['position', 'number', 'subject'])
      .where('type', '=', 'key.created')
      .where(sql<boolean>`at >= (SELECT created_at FROM webhooks WHERE id = ${hook.id})`)
      .execute()
  await waitFor(async () => {
    await sql`UPDATE webhook_deliveries SET due_at = now() WHERE status = 'pending'`.execute(db)
    const rows = await db.selectFrom('webhook_deliveries').select('status').execute()
    return rows.length >= (await readLog()).length && rows.every(({ status }) => status === 'delivered')
  })
  const logged = await readLog()
  assert.deepEqual([...new Set(receiver.ids)].toSorted(), logged.map(eventIdOf).toSorted())
  const subjects = logged.map(({ subject }) => subject)
  for (const id of acknowledged)
    assert.equal(subjects.filter(subject => subject === id).length, 1, `${id} was acknowledged`)
  for (const received of receiver.got) verify(hook.secret, received)
}

test('of two processes that send to webhooks one is killed, and every event still arrives', async () => {
  const { db, receiver, start, folder } = await open()
  const [first, second] = [await start('a'), await start('b')]
  const [a, b] = [await first.credentials(), await second.credentials()]
  const hook = await createHook(a, receiver)
  const acknowledged: string[] = []
  const changes = Promise.all([change(a, 200, acknowledged), change(b, 100, acknowledged)])
  await waitFor(() => receiver.got.length > 20)
  const { leased_by: holder } = await db
    .selectFrom('webhooks')
    .select('leased_by')
    .where('id', '=', hook.id)
    .executeTakeFirstOrThrow()
  // The process whose requests the receiver gets is killed.
  const isFirst = holder === (await nodeIdIn(join(folder, 'a')))
  await (isFirst ? first : second).kill()
  await changes
  await sql`UPDATE webhooks SET leased_until = '-infinity' WHERE leased_by = ${holder}`.execute(db)
  await requireEverything(db, hook, receiver, acknowledged)
})

test(`a service is killed at ${kills} random moments, and every event still arrives`, async context => {
  context.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  const { db, receiver, start } = await open()
  const acknowledged: string[] = []
  let hook: CreatedHook | undefined
  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    const service = await start('a')
    const credentials = await service.credentials()
    hook ??= await createHook(credentials, receiver)
    const before = acknowledged.length
    const changes = Promise.all([1, 2].map(() => change(credentials, 200, acknowledged)))
    await waitFor(() => acknowledged.length > before)
    await delay(random() * 300)
    await service.kill()
    await changes
  }
  await start('a')
  assert.ok(hook)
  await requireEverything(db, hook, receiver, acknowledged)
})
