import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthenticationError, RateLimitError, Sandbox, SandboxNotFoundError } from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { startTestService } from '../../../testing/test-service.ts'

recordCalls(import.meta.filename)
const { service } = await startMachineService()
const options = e2bOptions(service)

/** All sandboxes on the pages of a list. */
async function all(list: ReturnType<typeof Sandbox.list>) {
  const found = []
  while (list.hasNext) found.push(...(await list.nextItems()))
  return found
}

test('a sandbox is created from a template by name, described and killed', async () => {
  const sandbox = await Sandbox.create('base', {
    ...options,
    metadata: { purpose: 'first' },
    timeoutMs: 600_000,
  })
  const info = await sandbox.getInfo()
  assert.equal(info.sandboxId, sandbox.sandboxId)
  assert.equal(info.templateId, 'base')
  assert.deepEqual(info.metadata, { purpose: 'first' })
  assert.equal(info.state, 'running')
  assert.equal(info.cpuCount, 1)
  assert.equal(info.memoryMB, 512)
  assert.deepEqual(info.lifecycle, { onTimeout: 'kill', autoResume: false })
  assert.equal(Math.round((info.endAt.getTime() - info.startedAt.getTime()) / 1000), 600)
  assert.equal((await service.get(`~/sandboxes/${sandbox.sandboxId}`)).body.sandbox.shapeName, 'small')
  assert.equal(await sandbox.kill(), true)
  assert.equal(await sandbox.kill(), false)
  await assert.rejects(sandbox.getInfo(), SandboxNotFoundError)
})

test('lists have pages, and filters by metadata and state', async () => {
  const made = []
  for (const [index, colour] of ['red', 'red', 'blue'].entries())
    made.push(
      await Sandbox.create('small', {
        ...options,
        metadata: { colour, 'a name & more': `${index}=100%` },
      }),
    )
  const ids = made.map(({ sandboxId }) => sandboxId)
  const newest = ids.toReversed()
  const first = Sandbox.list({ ...options, limit: 2 })
  assert.deepEqual(
    (await first.nextItems()).map(({ sandboxId }) => sandboxId),
    newest.slice(0, 2),
  )
  assert.equal(first.hasNext, true)
  assert.deepEqual(
    (await first.nextItems()).map(({ sandboxId }) => sandboxId),
    newest.slice(2),
  )
  assert.equal(first.hasNext, false)

  const red = await all(Sandbox.list({ ...options, query: { metadata: { colour: 'red' } }, order: 'asc' }))
  assert.deepEqual(
    red.map(({ sandboxId }) => sandboxId),
    ids.slice(0, 2),
  )
  const one = await all(Sandbox.list({ ...options, query: { metadata: { 'a name & more': '1=100%' } } }))
  assert.deepEqual(
    one.map(({ sandboxId }) => sandboxId),
    [ids[1]],
  )
  await made[0]?.pause()
  const paused = await all(Sandbox.list({ ...options, limit: 1, query: { state: ['paused'] } }))
  assert.deepEqual(
    paused.map(({ sandboxId }) => sandboxId),
    [ids[0]],
  )
  const later = await all(
    Sandbox.list({ ...options, query: { startedAfter: new Date(Date.now() + 60_000) } }),
  )
  assert.deepEqual(later, [])
  const none = await all(Sandbox.list({ ...options, query: { template: 'base' } }))
  assert.deepEqual(none, [])
  for (const sandbox of made) await sandbox.kill()
})

test('a paused sandbox is kept, and lives on when a client connects to it', async () => {
  const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 600_000 })
  assert.equal(await sandbox.pause(), true)
  assert.equal(await sandbox.pause(), false)
  const paused = await sandbox.getInfo()
  assert.equal(paused.state, 'paused')
  assert.ok(paused.endAt.getTime() - Date.now() > 86_400_000, 'it is kept for longer than its timeout')
  const again = await Sandbox.connect(sandbox.sandboxId, { ...options, timeoutMs: 900_000 })
  const awake = await again.getInfo()
  assert.equal(awake.state, 'running')
  assert.deepEqual(awake.lifecycle, { onTimeout: 'kill', autoResume: false })
  assert.ok(Math.abs(awake.endAt.getTime() - Date.now() - 900_000) < 300_000)
  assert.equal(
    (await service.get(`~/sandboxes/${sandbox.sandboxId}`)).body.sandbox.lifecycle,
    undefined,
    'it is deleted again when its time is up',
  )
  await sandbox.kill()
})

test('a timeout is set from now on, and connecting never shortens it', async () => {
  const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 600_000 })
  await sandbox.setTimeout(3_000_000)
  const { endAt } = await sandbox.getInfo()
  await sandbox.connect({ timeoutMs: 60_000 })
  assert.deepEqual((await sandbox.getInfo()).endAt, endAt)
  await sandbox.setTimeout(0)
  await assert.rejects(async () => {
    for (;;) await sandbox.getInfo()
  }, SandboxNotFoundError)
})

test('metrics, logs, rules and the network of a sandbox', async () => {
  const sandbox = await Sandbox.create('small', {
    ...options,
    lifecycle: { onTimeout: 'pause', autoResume: true },
    allowInternetAccess: false,
    envs: { COLOUR: 'green' },
  })
  const [metric] = await sandbox.getMetrics()
  assert.ok(metric)
  assert.equal(metric.cpuCount, 1)
  assert.equal(metric.memTotal, 512 * 1024 * 1024)
  assert.ok(metric.memUsed > 0)
  assert.ok(metric.diskTotal > 0)
  assert.ok(metric.cpuUsedPct >= 0 && metric.cpuUsedPct <= 100)
  const { lifecycle } = await sandbox.getInfo()
  assert.deepEqual(lifecycle, { onTimeout: 'pause', autoResume: true })
  const logs = await service.get(`/v2/sandboxes/${sandbox.sandboxId}/logs`)
  assert.equal(logs.body.logs[0].message, 'sandbox.created')
  await assert.rejects(sandbox.updateNetwork({ denyOut: ['0.0.0.0/0'] }), /409: .*when it is created/)
  await sandbox.kill()
})

test('a snapshot is a template that outlives its sandbox, and a fork continues on its own', async () => {
  const sandbox = await Sandbox.create('small', options)
  const snapshot = await sandbox.createSnapshot({ name: 'prepared' })
  assert.deepEqual(snapshot.names, ['prepared'])
  const listed = await sandbox.listSnapshots().nextItems()
  assert.deepEqual(listed, [snapshot])
  const [forked] = await sandbox.fork({ timeoutMs: 60_000 })
  assert.ok(forked instanceof Sandbox, String(forked))
  await sandbox.kill()
  assert.equal((await forked.getInfo()).state, 'running')
  await forked.kill()
  const copy = await Sandbox.create('prepared', { ...options, timeoutMs: 120_000 })
  const { startedAt, endAt } = await copy.getInfo()
  assert.ok(endAt.getTime() - startedAt.getTime() < 300_000)
  await copy.kill()
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId, options), true)
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId, options), false)
  await assert.rejects(Sandbox.create('prepared', options), /404: There is no template "prepared"/)
})

test('a wrong key, a foreign sandbox and wrong input are errors of the client', async () => {
  const sandbox = await Sandbox.create('small', options)
  const { sandboxId } = sandbox
  const wrong = { ...options, apiKey: `${options.apiKey.slice(0, -4)}0000` }
  await assert.rejects(Sandbox.create('small', wrong), AuthenticationError)
  await assert.rejects(Sandbox.getInfo(sandboxId, wrong), AuthenticationError)
  const other = { ...options, apiKey: (await service.otherOrganization()).apiKey }
  await assert.rejects(Sandbox.getInfo(sandboxId, other), SandboxNotFoundError)
  await assert.rejects(Sandbox.connect(sandboxId, other), SandboxNotFoundError)
  await assert.rejects(Sandbox.setTimeout(sandboxId, 60_000, other), SandboxNotFoundError)
  await assert.rejects(Sandbox.pause(sandboxId, other), SandboxNotFoundError)
  assert.equal(await Sandbox.kill(sandboxId, other), false)
  assert.deepEqual(await all(Sandbox.list(other)), [])
  await assert.rejects(Sandbox.create('nothing', options), /404: There is no template "nothing"/)
  await assert.rejects(Sandbox.create('small', { ...options, timeoutMs: 90_000_000 }), /400: .*timeout/)
  await assert.rejects(
    Sandbox.create('small', { ...options, network: { denyOut: ['203.0.113.7'] } }),
    /400: network.denyOut/,
  )
  const viewer = { ...options, apiKey: await service.keyOf('viewer') }
  assert.equal((await Sandbox.getInfo(sandboxId, viewer)).sandboxId, sandboxId)
  await assert.rejects(Sandbox.connect(sandboxId, viewer), /403/)
  await assert.rejects(Sandbox.kill(sandboxId, viewer), /403/)
  await sandbox.kill()
})

test('what a client does is in the audit log as our own operations', async () => {
  const sandbox = await Sandbox.create('small', options)
  await sandbox.setTimeout(60_000)
  await sandbox.kill()
  const { body } = await service.get(`~/audit-log?target=${sandbox.sandboxId}`)
  const operations = body.entries.map(({ operation }: { operation: string }) => operation)
  assert.deepEqual(operations.toSorted(), ['createSandbox', 'deleteSandbox', 'extendSandbox'])
})

test('pages for people and unknown paths are not taken over by the door', async () => {
  const page = await service.get('/sandboxes/something', { key: null })
  // It is a page, or our own error if the pages are not built; the errors of the door have numbers as codes.
  assert.notEqual(typeof page.body?.code, 'number')
  const unknown = await service.post('/v9/templates', {})
  assert.equal(unknown.status, 404)
  assert.equal(unknown.body.code, 404)
  assert.equal((await service.post('/v2/sandboxes', {}, { key: null })).status, 401)
})

test('a rate limit counts a call of a client once, and is its own error', async () => {
  const limited = await startTestService({ SANDGLASS_RATE_LIMIT: '5' })
  const few = { ...e2bOptions(limited), retries: 0 }
  for (let count = 0; count < 5; count++) await Sandbox.list(few).nextItems()
  await assert.rejects(Sandbox.list(few).nextItems(), RateLimitError)
})

test('the door can be closed', async () => {
  const closed = await startTestService({ SANDGLASS_DOORS: 'none' })
  await assert.rejects(Sandbox.create('small', e2bOptions(closed)), /404/)
})
