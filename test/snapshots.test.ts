import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { ForkResult, Snapshot } from '@sandglass/protocol'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { type Answer, startTestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { startCluster } from './support/folder-engine/open-cluster.ts'
import { paperEngines } from './support/paper-engine.ts'

const { cluster, folder, service } = await startCluster()

const code = ({ status, body }: Answer) => [status, body?.code]
const disks = async () => (await folder.snapshots.list()).length
const diskOf = async (id: string) => folder.diskOf(await handleOf(service, id))
const write = async (id: string, disk: string) => folder.write(await handleOf(service, id), disk)
const statusOf = async (id: string) => (await service.get(`~/sandboxes/${id}/status`)).body.status

async function snapshotOf(id: string, body: object = {}): Promise<Snapshot> {
  const { status, body: snapshot, text } = await service.post(`~/sandboxes/${id}/snapshots`, body)
  assert.equal(status, 200, text)
  return snapshot
}

test('a sandbox goes back to a snapshot and keeps its id, and its snapshots end with it', async () => {
  const id = await makeSandbox(service)
  await write(id, 'before')
  const snapshot = await snapshotOf(id, { name: 'clean' })
  assert.deepEqual([snapshot.name, snapshot.status, snapshot.sandboxId], ['clean', 'READY', id])
  assert.deepEqual([snapshot.sizeMiB, snapshot.memory], [1, false])
  await write(id, 'after')
  const later = await snapshotOf(id)
  assert.equal(later.name, 'snapshot')
  const { body: listed } = await service.get(`~/sandboxes/${id}/snapshots`)
  assert.deepEqual(
    listed.map((one: Snapshot) => one.id),
    [snapshot.id, later.id],
  )

  const restored = await service.post(`~/sandboxes/${id}/restore`, { snapshotId: snapshot.id })
  assert.deepEqual([restored.status, restored.text], [200, ''])
  assert.deepEqual([await statusOf(id), await diskOf(id)], ['RUNNING', 'before'])

  assert.equal((await service.delete(`~/sandboxes/${id}/snapshots/${later.id}`)).status, 200)
  await waitFor(async () => (await disks()) === 1)
  await service.remove(`~/sandboxes/${id}`)
  await waitFor(async () => (await disks()) === 0)
  const left = await service.pool.db.selectFrom('sandbox_snapshots').select('id').execute()
  assert.deepEqual(left, [])
})

test('a paused and a hibernated sandbox can be saved and restored', async () => {
  const id = await makeSandbox(service)
  await write(id, 'still')
  for (const operation of ['pause', 'hibernate']) {
    assert.equal((await service.post(`~/sandboxes/${id}/${operation}`)).status, 200)
    const { id: snapshotId } = await snapshotOf(id)
    assert.equal(await statusOf(id), 'STOPPED')
    await write(id, 'changed')
    assert.equal((await service.post(`~/sandboxes/${id}/restore`, { snapshotId })).status, 200)
    assert.deepEqual([await statusOf(id), await diskOf(id)], ['RUNNING', 'still'])
  }
  await service.remove(`~/sandboxes/${id}`)
})

test("another sandbox's snapshot does not exist, and one that failed cannot be restored", async () => {
  const [id, other] = [await makeSandbox(service), await makeSandbox(service)]
  const { id: snapshotId } = await snapshotOf(other)
  const at = `~/sandboxes/${id}`
  assert.deepEqual(code(await service.post(`${at}/restore`, { snapshotId })), [404, 'snapshot.NOT_FOUND'])
  assert.deepEqual(code(await service.delete(`${at}/snapshots/${snapshotId}`)), [404, 'snapshot.NOT_FOUND'])
  assert.deepEqual((await service.get(`${at}/snapshots`)).body, [])
  const end = await cluster.hinder('fail.take')
  assert.deepEqual(code(await service.post(`${at}/snapshots`)), [503, 'node.DISK_FULL'])
  await end()
  const [failed] = (await service.get(`${at}/snapshots`)).body
  assert.deepEqual([failed.status, failed.reason], ['ERROR', 'The disk of the cluster is full.'])
  assert.deepEqual(code(await service.post(`${at}/restore`, { snapshotId: failed.id })), [
    409,
    'snapshot.NOT_READY',
  ])
  assert.equal(await statusOf(id), 'RUNNING')
  for (const each of [id, other]) await service.remove(`~/sandboxes/${each}`)
})

test('memory cannot be kept, and machines without snapshots cannot be saved', async () => {
  const id = await makeSandbox(service)
  for (const path of ['snapshots', 'fork'])
    assert.deepEqual(code(await service.post(`~/sandboxes/${id}/${path}`, { memory: true })), [
      409,
      'snapshot.NO_MEMORY',
    ])
  const plain = await startTestService({}, async () => paperEngines())
  const on = await makeSandbox(plain, { shapeName: 'linux-desktop' })
  for (const path of ['snapshots', 'fork'])
    assert.deepEqual(code(await plain.post(`~/sandboxes/${on}/${path}`)), [409, 'snapshot.UNSUPPORTED'])
  const image = await plain.post('~/machine-images', { sandboxId: on, name: 'x' })
  assert.deepEqual(code(image), [409, 'snapshot.UNSUPPORTED'])
  assert.deepEqual(code(await plain.post(`~/sandboxes/${on}/hibernate`)), [409, 'sandbox.STATE'])
})

test('an engine that can save memory does so if that is wanted', async () => {
  const able = await startCluster()
  await able.cluster.saveMemory()
  const id = await makeSandbox(able.service)
  const take = async (body: object) => (await able.service.post(`~/sandboxes/${id}/snapshots`, body)).body
  const taken = [await take({}), await take({ memory: true })]
  assert.deepEqual(
    taken.map(({ status, memory }) => [status, memory]),
    [
      ['READY', false],
      ['READY', true],
    ],
  )
  assert.equal(able.folder.snapshots.withMemory().length, 1)
  const { body: forked } = await able.service.post(`~/sandboxes/${id}/fork`, { memory: true })
  assert.equal(forked.results[0].error, undefined)
})

test('forks start with the disk of the sandbox and share nothing with it afterwards', async () => {
  const id = await makeSandbox(service, {
    name: 'source',
    env: { KEY: 'value' },
    labels: { run: '7' },
    egress: 'none',
  })
  await write(id, 'common')
  const { status, body, text } = await service.post(`~/sandboxes/${id}/fork`, {
    count: 3,
    maxLifeSeconds: 900,
  })
  assert.equal(status, 200, text)
  assert.equal(body.pauseMs, 5)
  const ids = body.results.map((result: ForkResult) => 'sandbox' in result && result.sandbox.id)
  assert.equal(new Set(ids).size, 3)
  await waitFor(async () => (await Promise.all(ids.map(statusOf))).every(one => one === 'RUNNING'))
  await write(ids[0], 'own')
  assert.deepEqual(await Promise.all([id, ...ids].map(diskOf)), ['common', 'own', 'common', 'common'])
  const { body: fork } = await service.get(`~/sandboxes/${ids[0]}`)
  const { name, labels, createdAt, expiresAt } = fork.sandbox
  assert.deepEqual([name, labels], ['source', { run: '7' }])
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 900_000)
  const spec = folder.specOf(await handleOf(service, ids[0]))
  assert.deepEqual([spec.env, spec.egress], [{ KEY: 'value' }, 'none'])
  await waitFor(async () => (await disks()) === 0)
  const { body: log } = await service.get('~/audit-log?operation=forkSandbox&outcome=done')
  assert.deepEqual(
    log.entries.map(({ target }: { target: string }) => target).sort(),
    [id, ...ids].sort(),
    'the sandbox and each fork',
  )
  for (const each of [id, ...ids]) await service.remove(`~/sandboxes/${each}`)
})

test('each fork counts against the quota, and those beyond it are refused one by one', async () => {
  const plan = { name: 'three', tier: 1, concurrentSandboxes: 3, machineImages: 0, snapshots: 1 }
  await service.operator('POST', '/api/operator/plans', plan)
  const { body: made } = await service.operator('POST', '/api/operator/organizations', {
    name: 'Small',
    plan: 'three',
  })
  const request = { key: made.ownerKey.apiKey }
  const at = `/api/orgs/${made.organization.id}/sandboxes`
  const { body: source } = await service.post(at, { shape: 'small', wait: 30 }, request)
  const { body } = await service.post(`${at}/${source.id}/fork`, { count: 4, name: 'try' }, request)
  assert.deepEqual(
    body.results.map((result: ForkResult) => ('sandbox' in result ? result.sandbox.name : result.error.code)),
    ['try', 'try', 'sandbox.TOO_MANY', 'sandbox.TOO_MANY'],
  )
  const snapshot = () => service.post(`${at}/${source.id}/snapshots`, {}, request)
  assert.equal((await snapshot()).status, 200)
  assert.deepEqual(code(await snapshot()), [409, 'snapshot.TOO_MANY'])
  const { body: sandboxes } = await service.get(at, request)
  assert.equal(sandboxes.length, 3)
  for (const { id } of sandboxes) await service.remove(`${at}/${id}`, request)
  await waitFor(async () => (await disks()) === 0)
})

test('a fork that fails creates nothing, and a repeated one creates nothing twice', async () => {
  const id = await makeSandbox(service)
  const before = (await service.get('~/sandboxes')).body.length
  const end = await cluster.hinder('fail.take')
  assert.deepEqual(code(await service.post(`~/sandboxes/${id}/fork`)), [503, 'node.DISK_FULL'])
  await end()
  assert.equal((await service.get('~/sandboxes')).body.length, before)
  const request = { headers: { 'idempotency-key': 'fork-once' } }
  const first = await service.post(`~/sandboxes/${id}/fork`, { count: 2 }, request)
  const again = await service.post(`~/sandboxes/${id}/fork`, { count: 2 }, request)
  assert.deepEqual(again.body, first.body)
  assert.equal((await service.get('~/sandboxes')).body.length, before + 2)
  const saved = () => service.pool.db.selectFrom('saved_disks').select('id').execute()
  await waitFor(async () => (await disks()) === 0 && (await saved()).length === 0)
  for (const count of [0, 21, 1.5])
    assert.deepEqual(code(await service.post(`~/sandboxes/${id}/fork`, { count })), [400, 'request.INVALID'])
})
