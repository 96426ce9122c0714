import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { createMachineImage, type Image } from '@sandglass/protocol'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { Answer } from '../packages/server/src/testing/test-service.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { startCluster } from './support/folder-engine/open-cluster.ts'

const { cluster, folder, service } = await startCluster()

const code = ({ status, body }: Answer) => [status, body?.code]
const disks = async () => (await folder.snapshots.list()).map(({ id }) => id)
const statusOf = async (id: string) => (await service.get(`~/sandboxes/${id}/status`)).body.status

/** Makes a sandbox with something on its disk. */
async function written(disk: string, choices: object = {}): Promise<string> {
  const id = await makeSandbox(service, choices)
  folder.write(await handleOf(service, id), disk)
  return id
}

async function imageOf(sandboxId: string, body: object = {}): Promise<Image> {
  const {
    status,
    body: image,
    text,
  } = await service.post('~/machine-images', {
    sandboxId,
    name: 'base',
    ...body,
  })
  assert.equal(status, 200, text)
  return image
}

async function createFrom(imageId: string, body: object = {}): Promise<Answer> {
  return service.post('~/sandboxes/from-image', { imageId, name: 'copy', maxLifeSeconds: 600, ...body })
}

async function runningFrom(imageId: string): Promise<string> {
  const { status, body, text } = await createFrom(imageId, { wait: 30 })
  assert.equal(status, 200, text)
  assert.deepEqual([body.sandbox.status, body.bookId], ['RUNNING', body.sandbox.id])
  return body.sandbox.id
}

test('an image keeps the disk as it was, and sandboxes that were created from it outlive it', async () => {
  const id = await written('files of the first')
  const made = createMachineImage.response?.parse(
    (await service.post('~/machine-images', { sandboxId: id, name: 'base', description: 'With files.' }))
      .body,
  )
  assert.deepEqual([made?.status, made?.scope, made?.shapeName], ['READY', 'ORG', 'small'])
  assert.deepEqual([made?.pauseMs, made?.sizeMiB, made?.description], [5, 1, 'With files.'])
  assert.equal(await statusOf(id), 'RUNNING')
  folder.write(await handleOf(service, id), 'later files')

  const { body: listed } = await service.get('~/machine-images')
  assert.deepEqual(listed.quota, { used: 1, limit: 1_000_000 })
  assert.deepEqual(
    listed.images.map((image: Image) => image.id),
    [made?.id],
  )
  const copy = await runningFrom(made?.id ?? '')
  assert.equal(folder.diskOf(await handleOf(service, copy)), 'files of the first')

  const deleted = await service.delete(`~/machine-images/${made?.id}`)
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  await waitFor(async () => (await disks()).length === 0)
  assert.equal(await statusOf(copy), 'RUNNING')
  assert.deepEqual(code(await createFrom(made?.id ?? '')), [404, 'image.NOT_FOUND'])
  assert.deepEqual(code(await service.delete(`~/machine-images/${made?.id}`)), [404, 'image.NOT_FOUND'])
})

test('the environment of the source is not part of an image, and its choices are made anew', async () => {
  const id = await written('x', { env: { SECRET: 'hidden' }, screen: { width: 800, height: 600 } })
  const image = await imageOf(id)
  const { body } = await createFrom(image.id, { env: { OWN: 'mine' }, labels: { team: 'blue' } })
  assert.deepEqual(body.sandbox.labels, { team: 'blue' })
  await waitFor(async () => (await statusOf(body.sandbox.id)) === 'RUNNING')
  const spec = folder.specOf(await handleOf(service, body.sandbox.id))
  assert.deepEqual([spec.env, spec.screen], [{ OWN: 'mine' }, { width: 800, height: 600 }])
  const rows = await service.pool.db.selectFrom('saved_disks').select('spec').execute()
  assert.ok(!JSON.stringify(rows).includes('sealedEnv'))
  await service.remove(`~/machine-images/${image.id}`)
})

test('the sandbox is deleted with the image only if the caller asks for it', async () => {
  const id = await written('moved')
  const image = await imageOf(id, { deleteSandbox: true })
  assert.equal((await service.get(`~/sandboxes/${id}`)).status, 404)
  const { body } = await service.get(`~/audit-log?target=${id}&operation=deleteSandbox`)
  assert.equal(body.entries.length, 1)
  assert.equal(folder.diskOf(await handleOf(service, await runningFrom(image.id))), 'moved')
  await service.remove(`~/machine-images/${image.id}`)
})

test('an image of another organization does not exist, unless the operator has published it', async () => {
  const image = await imageOf(await written('shared'))
  const other = await service.otherOrganization()
  const org = { key: other.apiKey }
  const at = `/api/orgs/${other.orgId}`
  const from = { imageId: image.id, name: 'copy', maxLifeSeconds: 600 }
  const seen = async (scope: string) =>
    (await service.get(`${at}/machine-images?scope=${scope}`, org)).body.images.length
  assert.deepEqual(code(await service.post(`${at}/sandboxes/from-image`, from, org)), [
    404,
    'image.NOT_FOUND',
  ])
  assert.deepEqual(code(await service.delete(`${at}/machine-images/${image.id}`, org)), [
    404,
    'image.NOT_FOUND',
  ])
  assert.equal(await seen('all'), 0)

  const path = `/api/operator/machine-images/${image.id}`
  const published = await service.operator('PATCH', path, { scope: 'PUBLIC' })
  assert.deepEqual([published.status, published.body.scope], [200, 'PUBLIC'])
  assert.deepEqual([await seen('org'), await seen('public'), await seen('all')], [0, 1, 1])
  const created = await service.post(`${at}/sandboxes/from-image`, { ...from, wait: 30 }, org)
  assert.equal(created.body.sandbox.status, 'RUNNING', created.text)
  assert.deepEqual(code(await service.delete(`${at}/machine-images/${image.id}`, org)), [
    403,
    'image.NOT_OWN',
  ])

  const { body: all } = await service.operator('GET', '/api/operator/machine-images')
  assert.deepEqual([all[0].id, all[0].organizationId], [image.id, service.orgId])
  assert.equal((await service.operator('DELETE', path)).status, 200)
  await waitFor(async () => (await disks()).length === 0)
})

test('the plan limits the images of an organization, even for concurrent requests', async () => {
  await service.operator('POST', '/api/operator/plans', {
    name: 'one-image',
    tier: 1,
    concurrentSandboxes: 9,
    machineImages: 1,
  })
  const { body } = await service.operator('POST', '/api/operator/organizations', {
    name: 'Small',
    plan: 'one-image',
  })
  const request = { key: body.ownerKey.apiKey }
  const at = `/api/orgs/${body.organization.id}`
  const { body: sandbox } = await service.post(`${at}/sandboxes`, { shape: 'small', wait: 30 }, request)
  const asked = { sandboxId: sandbox.id, name: 'mine' }
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => service.post(`${at}/machine-images`, asked, request)),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assert.deepEqual(code(answer), [409, 'image.TOO_MANY'])
  const { body: listed } = await service.get(`${at}/machine-images`, request)
  assert.deepEqual(listed.quota, { used: 1, limit: 1 })
  await service.remove(`${at}/machine-images/${listed.images[0].id}`, request)
  await waitFor(async () => (await disks()).length === 0)
})

test('a disk that cannot be saved is an error for the caller, an image in ERROR, and leaves nothing', async () => {
  const id = await written('too large')
  const end = await cluster.hinder('fail.take')
  const refused = await service.post('~/machine-images', { sandboxId: id, name: 'broken' })
  assert.deepEqual(code(refused), [503, 'node.DISK_FULL'])
  await end()
  const { body } = await service.get('~/machine-images')
  const [image] = body.images
  assert.deepEqual(
    [image.status, image.reason, body.quota.used],
    ['ERROR', 'The disk of the cluster is full.', 0],
  )
  assert.deepEqual(code(await createFrom(image.id)), [409, 'image.NOT_READY'])
  assert.equal(await statusOf(id), 'RUNNING')
  await waitFor(async () => (await rows()) === 0)
  assert.deepEqual(await disks(), [])
  assert.equal((await service.delete(`~/machine-images/${image.id}`)).status, 204)
})

const rows = async () => (await service.pool.db.selectFrom('saved_disks').select('id').execute()).length

test('an image is CREATING until its disk is saved, and can be deleted meanwhile', async () => {
  const id = await written('slow')
  const end = await cluster.hinder('wait.take')
  const asked = service.post('~/machine-images', { sandboxId: id, name: 'slow' })
  let image: Image | undefined
  await waitFor(async () => {
    image = (await service.get('~/machine-images')).body.images[0]
    return image !== undefined
  })
  assert.equal(image?.status, 'CREATING')
  assert.deepEqual(code(await createFrom(image?.id ?? '')), [409, 'image.NOT_READY'])
  assert.equal((await service.delete(`~/machine-images/${image?.id}`)).status, 204)
  await end()
  await asked
  await waitFor(async () => (await disks()).length === 0 && (await rows()) === 0)
})

test('an image that is deleted while a sandbox is created from it does not harm the sandbox', async () => {
  const image = await imageOf(await written('needed'))
  const end = await cluster.hinder('wait.create')
  const { body } = await createFrom(image.id)
  assert.equal((await service.delete(`~/machine-images/${image.id}`)).status, 204)
  assert.equal((await disks()).length, 1)
  await end()
  await waitFor(async () => (await statusOf(body.sandbox.id)) === 'RUNNING')
  assert.equal(folder.diskOf(await handleOf(service, body.sandbox.id)), 'needed')
  await waitFor(async () => (await disks()).length === 0)
})

test('a repeated request with the same key saves one disk, and creates one sandbox', async () => {
  const id = await written('once')
  const request = { headers: { 'idempotency-key': 'image-once' } }
  const asked = { sandboxId: id, name: 'once' }
  const first = await service.post('~/machine-images', asked, request)
  const again = await service.post('~/machine-images', asked, request)
  assert.deepEqual([again.body.id, again.body.status], [first.body.id, 'READY'])
  assert.equal((await disks()).length, 1)
  const from = { imageId: first.body.id, name: 'copy', maxLifeSeconds: 600 }
  const key = { headers: { 'idempotency-key': 'copy-once' } }
  const copy = await service.post('~/sandboxes/from-image', from, key)
  await service.remove(`~/machine-images/${first.body.id}`)
  const repeated = await service.post('~/sandboxes/from-image', from, key)
  assert.equal(repeated.body.bookId, copy.body.bookId)
})

test('invalid input is refused', async () => {
  const id = await makeSandbox(service)
  for (const body of [
    { sandboxId: id },
    { sandboxId: id, name: '' },
    { sandboxId: id, name: 'x'.repeat(101) },
  ])
    assert.deepEqual(code(await service.post('~/machine-images', body)), [400, 'request.INVALID'])
  assert.deepEqual(code(await service.post('~/machine-images', { sandboxId: 'absent', name: 'x' })), [
    404,
    'sandbox.NOT_FOUND',
  ])
  const image = await imageOf(id)
  for (const maxLifeSeconds of [299, 604_801])
    assert.deepEqual(code(await createFrom(image.id, { maxLifeSeconds })), [400, 'request.INVALID'])
  assert.deepEqual(code(await createFrom(image.id, { projectId: 'absent' })), [404, 'project.NOT_FOUND'])
  const viewer = await service.keyOf('viewer')
  const refused = await service.post('~/machine-images', { sandboxId: id, name: 'x' }, { key: viewer })
  assert.deepEqual(code(refused), [403, 'auth.FORBIDDEN'])
  assert.equal((await service.get('~/machine-images', { key: viewer })).status, 200)
})

test('the images of an organization end with it', async () => {
  const other = await service.otherOrganization()
  const request = { key: other.apiKey }
  const at = `/api/orgs/${other.orgId}`
  const { body: sandbox } = await service.post(`${at}/sandboxes`, { shape: 'small', wait: 30 }, request)
  const asked = { sandboxId: sandbox.id, name: 'last', deleteSandbox: true }
  assert.equal((await service.post(`${at}/machine-images`, asked, request)).status, 200)
  const before = (await disks()).length
  const deleted = await service.operator('DELETE', `/api/operator/organizations/${other.orgId}`)
  assert.equal(deleted.status, 200, deleted.text)
  await waitFor(async () => (await disks()).length === before - 1)
})
