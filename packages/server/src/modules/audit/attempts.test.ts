import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const target = sandbox.split('/').at(-1)

async function outcomes(operation: string): Promise<string[]> {
  const { body } = await service.get(`~/audit-log?target=${target}&operation=${operation}`)
  return body.entries.map(({ outcome }: { outcome: string }) => outcome)
}

test('an act inside a machine is in the audit log before its caller is answered', async () => {
  await runIn(service, sandbox, { executable: 'true' })
  assert.deepEqual(await outcomes('execSandboxProcess'), ['attempted'])
})

test('if the audit log cannot be written, nothing is done and the error says so', async () => {
  const { db } = service.pool
  const tx = await db.startTransaction().execute()
  // Without this, the server would end this transaction at the same time as the statements that wait for its lock.
  await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(tx)
  await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(tx)
  const [ran, made] = await Promise.all([
    service.post(`${sandbox}/process`, { executable: 'touch', args: ['ran'] }),
    service.post(`${sandbox}/files/folders`, { path: 'made' }),
  ]).finally(() => tx.rollback().execute())
  for (const { status, body } of [ran, made]) {
    assert.deepEqual([status, body.code], [503, 'service.UNAVAILABLE'])
    assert.match(body.message, /nothing was done/)
  }
  assert.equal((await runIn(service, sandbox, { executable: 'ls' })).stdout.match(/ran|made/), null)
})
