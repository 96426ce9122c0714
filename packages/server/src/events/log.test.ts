import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { LoggedEvent } from '@sandglass/protocol'
import { sql } from 'kysely'
import pino from 'pino'
import { transact } from '../db/transact.ts'
import { startTestService } from '../testing/test-service.ts'
import { alignPositions } from './align.ts'
import { appendEvent } from './append.ts'
import { follow } from './follow.ts'
import { readEvents } from './read.ts'
import { EventTail } from './tail.ts'

const { pool } = await startTestService()
const { db } = pool

/** Every test has a subject of its own. */
const event = (subject: string, port = 1) =>
  ({ orgId: 'org', type: 'port.opened', subject, data: { port } }) as const

const read = (subject: string, beyond?: string) =>
  readEvents(db, { subject, order: 'oldest', beyond, limit: 1000 })

const portsOf = (events: readonly LoggedEvent[]) => events.map(({ data }) => data['port'])

/** Follows the log from now on, as a stream does. Announcements are given by the test. */
async function openFollower(subject: string) {
  const tail = new EventTail(pool.prepared, pino({ level: 'silent' }))
  const after = await tail.now()
  const seen: LoggedEvent[] = []
  const end = new AbortController()
  const over = (async () => {
    for await (const { events } of follow(db, tail, { subject }, after, 60_000, end.signal))
      seen.push(...events)
  })()
  const close = async () => {
    end.abort()
    await over
    tail.close()
  }
  return { tail, seen, close }
}

test('an event is in the log if and only if its transaction was committed', async () => {
  await transact(db, tx => appendEvent(tx, event('kept')))
  await assert.rejects(
    transact(db, async tx => {
      await appendEvent(tx, event('rolled back'))
      throw new Error('refused')
    }),
  )
  assert.equal((await read('kept')).length, 1)
  assert.equal((await read('rolled back')).length, 0)
})

test('an event waits for an earlier transaction, so that no reader passes one that is committed later', async () => {
  const early = await db.startTransaction().execute()
  await appendEvent(early, event('overtaken', 1))
  await transact(db, tx => appendEvent(tx, event('overtaken', 2)))
  assert.deepEqual(await read('overtaken'), [])
  await early.commit().execute()
  assert.deepEqual(portsOf(await read('overtaken')), [1, 2])
})

test('events that were held back reach a follower although nothing announces them any more', async () => {
  const { tail, seen, close } = await openFollower('held back')
  await transact(db, tx => appendEvent(tx, event('held back', 1)))
  tail.changed()
  await waitFor(async () => seen.length === 1)
  const silent = await db.startTransaction().execute()
  await sql`SELECT pg_current_xact_id()`.execute(silent)
  await transact(db, tx => appendEvent(tx, event('held back', 2)))
  tail.changed()
  await silent.rollback().execute()
  await waitFor(async () => seen.length === 2)
  await close()
})

test('readers that follow concurrent transactions receive every event once and in order', async () => {
  const subject = 'concurrent'
  const writers = 6
  const each = 30
  const { tail, seen, close } = await openFollower(subject)
  const write = async (writer: number) => {
    for (let i = 0; i < each; i++)
      await transact(db, async tx => {
        await appendEvent(tx, event(subject, writer * each + i))
        if (i % 3 === 0) await sql`SELECT pg_sleep(0.002)`.execute(tx)
        if (i % 5 === 0) await appendEvent(tx, event('another', i))
      })
  }
  let isWritten = false
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => {
    isWritten = true
  })
  const received: LoggedEvent[] = []
  while (!isWritten || (await read(subject, received.at(-1)?.id)).length > 0) {
    tail.changed()
    received.push(...(await read(subject, received.at(-1)?.id)))
  }
  await writing
  const expected = Array.from({ length: writers * each }, (_, i) => i)
  assert.deepEqual(
    portsOf(received).toSorted((a, b) => Number(a) - Number(b)),
    expected,
  )
  assert.deepEqual(
    received.map(({ id }) => id),
    received.map(({ id }) => id).toSorted(),
  )
  tail.changed()
  await waitFor(async () => seen.length >= expected.length)
  assert.deepEqual(seen, received)
  await close()
})

test('after a restore into a PostgreSQL with lower transaction ids, new events come after the restored ones', async () => {
  assert.equal(await alignPositions(db), false)
  const far = 1_000_000_000
  await sql`INSERT INTO events (position, org_id, type, subject, data, actor_kind, actor_id)
    VALUES (event_horizon() + ${far}, 'org', 'port.opened', 'restored', '{"port": 1}', 'service', 'machines')`.execute(
    db,
  )
  assert.deepEqual(await read('restored'), [], 'its transaction seems to run')
  assert.equal(await alignPositions(db), true)
  assert.equal(await alignPositions(db), false)
  await transact(db, tx => appendEvent(tx, event('restored', 2)))
  assert.deepEqual(portsOf(await read('restored')), [1, 2])
  const { tail, seen, close } = await openFollower('restored')
  await transact(db, tx => appendEvent(tx, event('restored', 3)))
  tail.changed()
  await waitFor(async () => seen.length === 1)
  assert.deepEqual(portsOf(await read('restored')), [1, 2, 3])
  await close()
})

test('events are never changed', async () => {
  await assert.rejects(sql`UPDATE events SET subject = 'another'`.execute(db), /never changed/)
})
