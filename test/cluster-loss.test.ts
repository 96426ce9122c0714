import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineError, type MachineHandle } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { eventsWhen } from '../packages/server/src/testing/events-when.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { FolderEngine } from './support/folder-engine/folder-engine.ts'
import { openCluster, startCluster } from './support/folder-engine/open-cluster.ts'

const look = async (service: TestService, id: string) => (await service.get(`~/sandboxes/${id}`)).body.sandbox
const openSpans = async ({ pool }: TestService, id: string) =>
  (
    await pool.db
      .selectFrom('usage_spans')
      .select('ended_at')
      .where('sandbox_id', '=', id)
      .where('ended_at', 'is', null)
      .execute()
  ).length
const isInError = (service: TestService, id: string) =>
  waitFor(async () => (await look(service, id)).status === 'ERROR')

async function snapshot(service: TestService, id: string, name: string): Promise<void> {
  const { body, text } = await service.post(`~/sandboxes/${id}/snapshots`, { name })
  assert.equal(body.status, 'READY', text)
}

async function start() {
  const { cluster, folder, service } = await startCluster()
  cluster.join('m1', 'm2')
  const memberOf = async ({ state }: MachineHandle) =>
    (await folder.list()).find(({ id }) => id === state)?.member ?? assert.fail('it is not listed')
  return { cluster, folder, service, memberOf }
}

test('sandboxes of a lost member are in ERROR, are not billed, and can be deleted; their machines go when it returns', async () => {
  const { cluster, folder, service, memberOf } = await start()
  const [running, paused, other] = [
    await makeSandbox(service),
    await makeSandbox(service),
    await makeSandbox(service),
  ]
  await service.post(`~/sandboxes/${other}/pause`)
  const handles = await Promise.all([running, paused, other].map(id => handleOf(service, id)))
  const [ofRunning, ofPaused, ofOther] = await Promise.all(handles.map(memberOf))
  assert.deepEqual([ofRunning, ofPaused, ofOther], ['m1', 'm2', 'm1'])

  cluster.lose('m1')
  for (const id of [running, other]) {
    await isInError(service, id)
    assert.match((await look(service, id)).reason, /^The member m1 of the cluster is gone\. .*not billed/)
    assert.equal(await openSpans(service, id), 0)
  }
  await eventsWhen(service, `~/sandboxes/${running}/events`, events =>
    events.some(({ data }) => data['reason'] === 'member-lost'),
  )
  assert.equal((await look(service, paused)).status, 'RUNNING')

  await service.remove(`~/sandboxes/${running}`)
  assert.equal((await service.get(`~/sandboxes/${running}`)).status, 404)
  assert.deepEqual(
    (await service.get('~/sandboxes')).body.map(({ id }: { id: string }) => id).sort(),
    [paused, other].sort(),
  )
  assert.equal((await folder.list()).length, 3)

  cluster.join('m1')
  await waitFor(async () => (await folder.list()).length === 2)
  // What was not deleted does not run unbilled, and continues with its files.
  const [, , handle = assert.fail()] = handles
  await waitFor(async () => (await folder.inspect(handle)).status === 'stopped')
  await waitFor(async () => /is back/.test((await look(service, other)).reason))
  assert.equal((await look(service, other)).status, 'ERROR')
  assert.equal((await service.post(`~/sandboxes/${other}/restart`)).status, 200)
  assert.equal(await machineOf(service, other), handle.state)
  assert.equal(await openSpans(service, other), 1)
})

test('a loss is reported while the cluster cannot list its machines, because it has lost its leader too', async () => {
  const { cluster, service } = await start()
  const id = await makeSandbox(service)
  const listAgain = await cluster.hinder('fail.list')
  cluster.lose('m1')
  await isInError(service, id)
  assert.match((await look(service, id)).reason, /^The member m1 of the cluster is gone\./)
  await listAgain()
})

test('a sandbox of a member that is only cut off stays RUNNING, and recovers unchanged', async () => {
  const { cluster, service } = await start()
  const id = await makeSandbox(service)
  const machine = await machineOf(service, id)
  cluster.cutOff('m1')
  await waitFor(async () => (await look(service, id)).problem !== undefined)
  assert.equal((await look(service, id)).status, 'RUNNING')
  cluster.join('m1')
  await waitFor(async () => (await look(service, id)).problem === undefined)
  assert.deepEqual([(await look(service, id)).status, await machineOf(service, id)], ['RUNNING', machine])
})

test('a lost sandbox is restarted on another member from its newest snapshot, and never runs twice', async () => {
  const { cluster, folder, service, memberOf } = await start()
  const id = await makeSandbox(service, { env: { COLOUR: 'green' } })
  const old = await handleOf(service, id)
  for (const disk of ['first', 'second']) {
    folder.write(old, disk)
    await snapshot(service, id, disk)
  }
  folder.write(old, 'third')
  cluster.lose('m1')
  await isInError(service, id)

  const { status, text } = await service.post(`~/sandboxes/${id}/restart`)
  assert.equal(status, 200, text)
  const now = await look(service, id)
  assert.equal(now.status, 'RUNNING')
  assert.match(now.reason, /started on another member from its snapshot second of 20/)
  const handle = await handleOf(service, id)
  assert.notEqual(handle.state, old.state)
  assert.deepEqual([await memberOf(handle), folder.diskOf(handle)], ['m2', 'second'])
  assert.deepEqual(folder.specOf(handle).env, { COLOUR: 'green' })
  assert.equal(await openSpans(service, id), 1)

  cluster.join('m1')
  await waitFor(async () => (await folder.list()).length === 1)
  assert.equal((await look(service, id)).status, 'RUNNING')
})

test('a lost sandbox is restarted from the image that it was created from', async () => {
  const { cluster, folder, service } = await start()
  const first = await makeSandbox(service)
  folder.write(await handleOf(service, first), 'prepared')
  const image = await service.post('~/machine-images', { sandboxId: first, name: 'mine' })
  assert.equal(image.body.status, 'READY', image.text)
  const from = { imageId: image.body.id, name: 'copy', maxLifeSeconds: 600 }
  const created = await service.post('~/sandboxes/from-image', from)
  const { id } = created.body.sandbox
  await waitFor(async () => (await look(service, id)).status === 'RUNNING')
  const old = await handleOf(service, id)
  folder.write(old, 'changed')
  cluster.lose('m2')
  await isInError(service, id)
  assert.equal((await service.post(`~/sandboxes/${id}/restart`)).status, 200)
  const now = await look(service, id)
  assert.match(now.reason, /from its image mine/)
  assert.equal(folder.diskOf(await handleOf(service, id)), 'prepared')
})

test('a restart is refused with the reason if nothing of the sandbox is left outside the lost member', async () => {
  const { cluster, service } = await start()
  const [plain, , saved] = [
    await makeSandbox(service),
    await makeSandbox(service),
    await makeSandbox(service),
  ]
  await cluster.keepDisksLocal()
  await snapshot(service, saved, 'local')
  cluster.lose('m1')
  for (const [id, sentence] of [
    [plain, /has no snapshot, and was not created from an image/],
    [saved, /started from its snapshot local of .*, but that cannot be used now: The member m1/],
  ] as const) {
    await isInError(service, id)
    const refused = await service.post(`~/sandboxes/${id}/restart`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'sandbox.STATE'])
    assert.match(refused.body.message, sentence)
    assert.equal((await look(service, id)).status, 'ERROR')
  }
})

test('a restart says why it cannot be done now if the cluster fails when it is asked', async t => {
  const { cluster, service } = await start()
  const id = await makeSandbox(service)
  await snapshot(service, id, 'before')
  cluster.lose('m1')
  await isInError(service, id)

  const restart = async (failure: MachineError) => {
    const { mock } = t.mock.method(FolderEngine.prototype, 'capacity', () => Promise.reject(failure))
    const { status, body } = await service.post(`~/sandboxes/${id}/restart`)
    mock.restore()
    return `${status} ${body.code}: ${body.message}`
  }
  for (const [failure, answer] of [
    [new MachineError('UNREACHABLE', 'It is away.'), /^503 sandbox\.UNREACHABLE: It is away\./],
    [new MachineError('HOST_FULL', 'It is full.'), /^503 node\.DISK_FULL: It is full\./],
    [new MachineError('INVALID', 'It is odd.'), /^503 sandbox\.UNREACHABLE: It is odd\./],
  ] as const)
    assert.match(await restart(failure), answer)
  assert.equal((await look(service, id)).status, 'ERROR')
  assert.equal((await service.post(`~/sandboxes/${id}/restart`)).status, 200)
})

test('a service that starts while a member is gone reports its sandboxes, and stops what comes back', async () => {
  const { cluster, folder } = await openCluster()
  cluster.join('m1')
  const before = await cluster.serve()
  const id = await makeSandbox(before)
  const handle = await handleOf(before, id)
  await before.service.close()
  cluster.lose('m1')
  const service = await cluster.serve({ SANDGLASS_DATA: before.folder })
  await isInError(service, id)
  cluster.join('m1')
  await waitFor(async () => (await folder.inspect(handle)).status === 'stopped')
  assert.equal((await look(service, id)).status, 'ERROR')
})
