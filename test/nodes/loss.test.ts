import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { frontOf } from '../support/host-processes.ts'
import { machineData, makeSandboxes, runningMachines, statusesOf } from '../support/machine-process.ts'
import { NodeDatabase, nodeIdIn } from '../support/nodes.ts'
import { call, ServiceProcess } from '../support/service-process.ts'

const database = await NodeDatabase.start()
const [here, there] = [await machineData(), await machineData()]
const env = { ...database.env, SANDGLASS_RATE_LIMIT: '1000000' }
let lost = await ServiceProcess.start(here.data, { ...here.env, ...env })
const other = await (await ServiceProcess.start(there.data, { ...there.env, ...env })).credentials()
const nodeId = await nodeIdIn(here.data)

const operator = (method: string, path: string, body?: unknown) =>
  call(other, method, `/api/operator${path}`, body, other.operatorKey)

const stateOfNode = async () =>
  (await operator('GET', '/nodes')).body.find(({ id }: { id: string }) => id === nodeId)?.state

async function usedSeconds(): Promise<number> {
  const { body } = await call(other, 'GET', '~/usage')
  return body.reduce((sum: number, { seconds }: { seconds: number }) => sum + seconds, 0)
}

/** Shuts down a machine of the lost node from inside. */
async function endMachine(sandboxId: string): Promise<void> {
  const { handle } = await database.db
    .selectFrom('machines')
    .innerJoin('sandboxes', 'sandboxes.machine_id', 'machines.id')
    .select('machines.handle')
    .where('sandboxes.id', '=', sandboxId)
    .executeTakeFirstOrThrow()
  assert.ok(handle)
  const machine = await here.engine.open(handle)
  // The machine may end before it can report that the program has started.
  await machine.exec({ executable: 'sudo', args: ['sh', '-c', 'kill -TERM 1'] }).catch(() => {})
  await waitFor(async () => (await here.engine.inspect(handle)).status === 'stopped')
  machine.close()
}

test('a node that is killed is declared lost and no longer billed, and an hour later it recovers what was not deleted', async () => {
  await operator('POST', '/plans', { name: 'five', tier: 1000, concurrentSandboxes: 5, machineImages: null })
  await operator('PATCH', `/organizations/${other.orgId}`, { plan: 'five' })
  const ids = await makeSandboxes(await lost.credentials(), 5)
  const before = await runningMachines(here.engine)
  assert.equal(before.length, 5)
  assert.equal((await call(other, 'POST', '~/sandboxes', { shape: 'small' })).body.code, 'sandbox.TOO_MANY')

  await lost.kill()
  // The sandboxes now seem to have started two hours ago, and the node to have been last seen an hour ago.
  await database.backdate(nodeId, '1 hour')
  await waitFor(async () => [...(await statusesOf(other)).values()].every(status => status === 'ERROR'))
  assert.equal(await stateOfNode(), 'lost')
  const { body: sandboxes } = await call(other, 'GET', '~/sandboxes')
  for (const { reason } of sandboxes)
    assert.ok(reason.startsWith(`The node ${hostname()} was lost at 2`), reason)
  const { body: audit } = await call(other, 'GET', `~/audit-log?operation=declareNodeLost`)
  assert.deepEqual(audit.entries.map(({ target }: { target: string }) => target).sort(), ids.toSorted())

  // Billing ends at the time at which the node was last seen.
  const spans = await database.db.selectFrom('usage_spans').select(['started_at', 'ended_at']).execute()
  const { seen_at: seenAt } = await database.db
    .selectFrom('nodes')
    .select('seen_at')
    .where('id', '=', nodeId)
    .executeTakeFirstOrThrow()
  for (const { ended_at: endedAt } of spans) assert.deepEqual(endedAt, seenAt)
  const used = await usedSeconds()
  assert.ok(used > 5 * 3600 - 600 && used < 5 * 3600 + 3600, String(used))

  // The lost sandboxes do not count towards the quota, and deleting one succeeds at once.
  const [replacement] = await makeSandboxes(other, 1)
  const deleted = ids.slice(0, 2)
  for (const id of deleted) {
    assert.equal((await call(other, 'DELETE', `~/sandboxes/${id}`)).status, 200)
    assert.equal((await call(other, 'GET', `~/sandboxes/${id}`)).status, 404)
  }

  const ended = ids[2] ?? ''
  await endMachine(ended)
  lost = await ServiceProcess.start(here.data, { ...here.env, ...env })
  const left = ids.slice(3)
  await waitFor(async () => {
    const statuses = await statusesOf(other)
    return left.every(id => statuses.get(id) === 'RUNNING')
  })
  await waitFor(async () => (await runningMachines(here.engine)).length === 2)
  assert.deepEqual([...(await statusesOf(other)).keys()].sort(), [replacement, ended, ...left].sort())
  assert.equal(await stateOfNode(), 'alive')
  const executed = await call(other, 'POST', `~/sandboxes/${left[0]}/process`, {
    executable: 'echo',
    args: ['still here'],
  })
  assert.equal(Buffer.from(executed.body.stdoutBase64, 'base64').toString(), 'still here\n')
  const { body } = await call(other, 'GET', `~/sandboxes/${left[0]}`)
  assert.equal(body.sandbox.reason, undefined)
  const counted = await database.db
    .selectFrom('usage_spans')
    .select('ended_at')
    .where('sandbox_id', '=', left[0] ?? '')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    counted.map(span => span.ended_at === null),
    [false, true],
    'it is billed again in a new span',
  )

  // The user can restart a sandbox whose machine has ended.
  const { body: failed } = await call(other, 'GET', `~/sandboxes/${ended}`)
  assert.equal(failed.sandbox.status, 'ERROR')
  assert.match(failed.sandbox.reason, /was lost at .*The node is back, but the machine has ended/)
  assert.equal((await call(other, 'POST', `~/sandboxes/${ended}/restart`)).status, 200)
  assert.equal((await statusesOf(other)).get(ended), 'RUNNING')
})

test('a node that was suspended and declared lost takes up its sandboxes again when it continues', async () => {
  const running = [...(await statusesOf(other)).keys()]
  const processes = [await frontOf(lost.pid), lost.pid]
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processes) process.kill(pid, name)
  }
  // All of the node: the front alone would go on renewing the lease while the host stands still.
  signal('SIGSTOP')
  try {
    // A renewal that was on its way may still arrive after this. Then the lease expires a few seconds later.
    await database.backdate(nodeId, '1 hour')
    await waitFor(async () => (await stateOfNode()) === 'lost')
    const errors = [...(await statusesOf(other)).values()].filter(status => status === 'ERROR')
    assert.equal(errors.length, 3)
  } finally {
    signal('SIGCONT')
  }
  await waitFor(async () => {
    const statuses = await statusesOf(other)
    return running.every(id => statuses.get(id) === 'RUNNING')
  })
  assert.equal(await stateOfNode(), 'alive')
  assert.equal((await runningMachines(here.engine)).length, 3)
})
