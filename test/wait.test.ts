import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Engine, MachineError } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { testShapes } from '../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-wait-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const { env: database } = await sharedDatabase()
// Without a warm pool, whose machines would be created too.
const env = { ...database, SANDGLASS_SHAPES: await testShapes(folder, 0) }

/** What ends the creation of each machine, in the order in which they were begun. */
const begun: PromiseWithResolvers<void>[] = []
const paper = paperEngines().get('local')
assert.ok(paper)
const slow: Engine = {
  ...paper,
  create: async request => {
    const end = Promise.withResolvers<void>()
    begun.push(end)
    await end.promise
    return paper.create(request)
  },
}
/** Has the machines. Their creation ends when a test says so. */
const a = await startTestService(env, async () => enginesOf(slow))
/** Has none, so that it forwards what it is asked to create. */
const b = await startTestService(env)

const shapeName = 'small'
/** Longer than any of these tests. */
const long = 60

/** Resolves when the creation of another machine has begun, to what ends it. */
async function nextMachine(before = begun.length): Promise<PromiseWithResolvers<void>> {
  await waitFor(async () => begun.length > before)
  const next = begun.at(before)
  assert.ok(next)
  return next
}

async function pending(): Promise<{ id: string; machine: PromiseWithResolvers<void> }> {
  const machine = nextMachine()
  const { status, body, text } = await a.post('~/sandboxes', { shapeName })
  assert.deepEqual([status, body?.status], [200, 'PENDING'], text)
  return { id: body.id, machine: await machine }
}

const waits = (service: TestService, id: string, seconds = long) =>
  service.get(`~/sandboxes/${id}?wait=${seconds}`)

test('a create that waits is answered when the sandbox is RUNNING, on whichever process its machine is', async () => {
  const calls = [
    () => a.post('~/sandboxes', { shapeName, wait: long }),
    () => a.post(`~/sandboxes?wait=${long}`, { shapeName }),
    () => b.post('~/sandboxes', { shapeName, wait: long }),
    () => b.post(`~/sandboxes?wait=${long}`, { shapeName }),
  ]
  for (const call of calls) {
    const machine = nextMachine()
    let isAnswered = false
    const answer = call().finally(() => {
      isAnswered = true
    })
    const { resolve } = await machine
    assert.equal(isAnswered, false)
    resolve()
    const { status, body, text } = await answer
    assert.deepEqual([status, body?.status], [200, 'RUNNING'], text)
  }
})

test('getSandbox waits on both processes until the sandbox is RUNNING', async () => {
  const { id, machine } = await pending()
  const answers = Promise.all([waits(a, id), waits(b, id), waits(b, id)])
  machine.resolve()
  for (const { status, body } of await answers)
    assert.deepEqual([status, body.sandbox.status], [200, 'RUNNING'])
  assert.equal((await waits(b, id)).body.sandbox.status, 'RUNNING', 'there is nothing left to wait for')
})

test('a sandbox that fails ends the wait with its reason', async () => {
  const { id, machine } = await pending()
  const answer = waits(b, id)
  machine.reject(new MachineError('MACHINE_FAILED', 'the paper is torn'))
  const { sandbox } = (await answer).body
  assert.equal(sandbox.status, 'ERROR')
  assert.ok(sandbox.reason.length > 0)
})

test('when the time is over, the answer is the sandbox as it is', async () => {
  const machine = nextMachine()
  const made = await b.post('~/sandboxes', { shapeName, wait: 0.1 })
  assert.deepEqual([made.status, made.body.status], [200, 'PENDING'])
  assert.equal((await waits(a, made.body.id, 0.1)).body.sandbox.status, 'PENDING')
  const { resolve } = await machine
  resolve()
  assert.equal((await waits(a, made.body.id)).body.sandbox.status, 'RUNNING')
})

test('a sandbox that is deleted during the wait is a 404', async () => {
  const { id, machine } = await pending()
  const answer = waits(b, id)
  assert.equal((await a.delete(`~/sandboxes/${id}`)).status, 200)
  assert.equal((await answer).body.code, 'sandbox.NOT_FOUND')
  machine.resolve()
})

test('a repeated create waits for the sandbox of the first', async () => {
  const machine = nextMachine()
  const headers = { 'idempotency-key': 'once' }
  const first = await a.post('~/sandboxes', { shapeName }, { headers })
  const again = a.post(`~/sandboxes?wait=${long}`, { shapeName }, { headers })
  const { resolve } = await machine
  resolve()
  const { body } = await again
  assert.deepEqual([body.id, body.status], [first.body.id, 'RUNNING'])
})

test('a wait that is too long or no number is a 400, and nobody waits for the sandbox of another organization', async () => {
  for (const wait of ['61', '-1', 'x', '1&wait=2']) {
    assert.equal((await a.get(`~/sandboxes/absent?wait=${wait}`)).body.code, 'request.INVALID', wait)
    assert.equal((await a.post(`~/sandboxes?wait=${wait}`, { shapeName })).body.code, 'request.INVALID', wait)
  }
  assert.equal((await a.post('~/sandboxes', { shapeName, wait: '5' })).body.code, 'request.INVALID')
  const { id, machine } = await pending()
  const other = await a.otherOrganization()
  const { status } = await a.get(`/api/orgs/${other.orgId}/sandboxes/${id}?wait=${long}`, {
    key: other.apiKey,
  })
  assert.equal(status, 404)
  machine.resolve()
})

test('a service that closes ends the waits that it serves', async () => {
  const { id, machine } = await pending()
  const waiting = waits(b, id)
  // The call has arrived once the service has a connection for it.
  await b.get(`~/sandboxes/${id}`)
  await b.service.close()
  const { status, body } = await waiting
  assert.deepEqual([status, body.sandbox.status], [200, 'PENDING'])
  machine.resolve()
})
