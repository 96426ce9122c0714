import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { endSandbox } from '../records/end-sandbox.ts'
import { doomMachine, forgetMachine } from '../records/machines.ts'
import { lockById } from '../records/sandboxes.ts'
import { makeSandbox } from '../testing/make-sandbox.ts'
import { startMachineService } from '../testing/test-machines.ts'

const { service, engine } = await startMachineService()
const { db } = service.pool
const listed = async () => (await service.get('~/sandboxes')).body
const destroyed = () => waitFor(async () => (await engine.list()).length === 0)

/** Whether a transaction waits for a lock that another one has. */
async function isSomebodyWaiting(): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

/** Lets this transaction be the one that fails if it and another wait for each other. */
async function failFirst(tx: Tx): Promise<void> {
  await sql`SET LOCAL deadlock_timeout = '1ms'`.execute(tx)
}

async function machineOf(id: string): Promise<string> {
  const row = await db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.machine_id ?? ''
}

test('a sandbox can be deleted while its machine is being recorded as made', async () => {
  const { status, body, text } = await service.post('~/sandboxes', { shape: 'small' })
  assert.equal(status, 200, text)
  await transact(db, async tx => {
    await failFirst(tx)
    const sandbox = await lockById(tx, body.id)
    assert.equal(sandbox?.status, 'PENDING')
    await waitFor(isSomebodyWaiting)
    await endSandbox(tx, sandbox, 'deleted')
  })
  await destroyed()
  assert.deepEqual(await listed(), [])
})

test('a sandbox can be deleted while the machine that failed is being forgotten', async () => {
  const id = await makeSandbox(service)
  const machineId = await machineOf(id)
  let forgotten: Promise<void> | undefined
  await transact(db, async tx => {
    await failFirst(tx)
    const sandbox = await lockById(tx, id)
    assert.ok(sandbox)
    forgotten = forgetMachine(db, machineId)
    await waitFor(isSomebodyWaiting)
    await doomMachine(tx, machineId)
  })
  await forgotten
  const deleted = await service.delete(`~/sandboxes/${id}`)
  assert.equal(deleted.status, 200, deleted.text)
  assert.deepEqual(await listed(), [])
})
