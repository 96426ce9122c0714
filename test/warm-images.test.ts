import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { OperatorImage, ServiceNode } from '@sandglass/protocol'
import { selectTenant, selectTenants } from '../packages/server/src/records/sandboxes.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { Answer, Request } from '../packages/server/src/testing/test-service.ts'
import { Cluster, handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { FolderEngine } from './support/folder-engine/folder-engine.ts'
import { nodeIdIn } from './support/nodes.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
// Two machines of this shape fit, which the pool leaves for creates.
const large = { name: 'large', diskMiB: 500_000 }
const cluster = await Cluster.make([{ warm: 1 }, large, { name: 'spare' }])
await cluster.begin()
const folder = new FolderEngine(cluster.path)
cleanup.defer(() => folder.close())
let service = await cluster.serve(env)
const nodeId = await nodeIdIn(service.folder)
const operatorImages = '/api/operator/machine-images'

const code = ({ status, body }: Answer) => [status, body?.code]

/** Saves an image of a sandbox with this on its disk, which is deleted. */
async function imageOf(disk: string, choices: object = {}): Promise<string> {
  const sandboxId = await makeSandbox(service, choices)
  folder.write(await handleOf(service, sandboxId), disk)
  const asked = { sandboxId, name: disk, deleteSandbox: true }
  const { status, body, text } = await service.post('~/machine-images', asked)
  assert.equal(status, 200, text)
  return body.id
}

const setWarm = (id: string, warm: unknown) => service.operator('PATCH', `${operatorImages}/${id}`, { warm })

async function seen(id: string): Promise<OperatorImage> {
  const { body } = await service.operator('GET', operatorImages)
  return body.find((image: OperatorImage) => image.id === id)
}

/** Saves an image, and waits until so many machines of it are ready. */
async function warmImageOf(disk: string, warm: number, choices: object = {}): Promise<string> {
  const id = await imageOf(disk, choices)
  const { status, body, text } = await setWarm(id, warm)
  assert.deepEqual([status, body.warm], [200, warm], text)
  await waitFor(async () => (await seen(id)).ready === warm)
  return id
}

const createFrom = (imageId: string, body: object = {}) =>
  service.post('~/sandboxes/from-image', { imageId, name: 'copy', maxLifeSeconds: 600, ...body })

/** The machines that wait for a sandbox: of an image, or of the shape. */
const ready = async (imageId: string | null) =>
  (
    await service.pool.db
      .selectFrom('machines')
      .select('id')
      .where('state', '=', 'ready')
      .where('image_id', imageId === null ? 'is' : '=', imageId)
      .execute()
  ).map(({ id }) => id)

const machines = async () => (await folder.list()).map(({ id }) => id)
const diskOf = async (sandboxId: string) => folder.diskOf(await handleOf(service, sandboxId))

test('a sandbox from an image claims a machine that has its disk at once, and the pool is refilled', async () => {
  const id = await warmImageOf('prepared', 2)
  const before = await ready(id)
  const { body, text } = await createFrom(id)
  assert.equal(body.sandbox.status, 'RUNNING', text)
  const machine = await machineOf(service, body.sandbox.id)
  assert.ok(before.includes(machine))
  assert.equal(await diskOf(body.sandbox.id), 'prepared')
  await waitFor(async () => (await seen(id)).ready === 2)
  assert.ok(!(await ready(id)).includes(machine), 'it is never given back')
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  await service.remove(`~/machine-images/${id}`)
})

test('concurrent creates never claim the same machine', async () => {
  const id = await warmImageOf('many', 2)
  const answers = await Promise.all(Array.from({ length: 5 }, () => createFrom(id, { wait: 30 })))
  const ids: string[] = answers.map(({ body, text }) => body.sandbox?.id ?? assert.fail(text))
  const claimed = await Promise.all(ids.map(sandboxId => machineOf(service, sandboxId)))
  assert.equal(new Set(claimed).size, 5)
  for (const sandboxId of ids) {
    assert.equal(await diskOf(sandboxId), 'many')
    await service.remove(`~/sandboxes/${sandboxId}`)
  }
  await service.remove(`~/machine-images/${id}`)
})

test('a create of the shape never gets a machine of an image, nor one of the image a machine of the shape', async () => {
  const id = await warmImageOf('of the image', 1)
  await waitFor(async () => (await ready(null)).length === 1)
  const [ofImage] = await ready(id)
  // The one of the shape is claimed by the first of them.
  const plain = await Promise.all(Array.from({ length: 3 }, () => makeSandbox(service)))
  for (const sandboxId of plain) assert.equal(await diskOf(sandboxId), 'empty')
  assert.deepEqual(await ready(id), [ofImage])
  const counted = async () => (await ready(null)).length
  await waitFor(async () => (await counted()) === 1)
  const { body: nodes } = await service.operator('GET', '/api/operator/nodes')
  const { capacity }: ServiceNode = nodes[0]
  assert.equal(capacity.find(({ shapeName }) => shapeName === 'small')?.warm, 1)

  // No other machine of the image becomes ready, so the second create has to boot one.
  const end = await cluster.hinder('wait.create')
  const first = await createFrom(id)
  const second = await createFrom(id)
  assert.deepEqual([first.body.sandbox.status, second.body.sandbox.status], ['RUNNING', 'PENDING'])
  assert.equal(await counted(), 1)
  await end()
  await waitFor(
    async () => (await service.get(`~/sandboxes/${second.body.sandbox.id}/status`)).body.status === 'RUNNING',
  )
  assert.equal(await diskOf(second.body.sandbox.id), 'of the image')
  for (const sandboxId of [...plain, first.body.sandbox.id, second.body.sandbox.id])
    await service.remove(`~/sandboxes/${sandboxId}`)
  await service.remove(`~/machine-images/${id}`)
})

test('a create with choices of its own boots a machine, and the screen of the image is the usual one', async () => {
  const screen = { width: 800, height: 600 }
  const id = await warmImageOf('chosen', 1, { screen })
  const others = [{ env: { A: 'b' } }, { egress: 'none' }, { screen: { width: 1280, height: 720 } }]
  for (const choices of others) {
    const { body, text } = await createFrom(id, choices)
    assert.equal(body.sandbox?.status, 'PENDING', text)
    await service.remove(`~/sandboxes/${body.sandbox.id}`)
  }
  const { body } = await createFrom(id, { screen })
  assert.equal(body.sandbox.status, 'RUNNING')
  assert.deepEqual(folder.specOf(await handleOf(service, body.sandbox.id)).screen, screen)
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  await service.remove(`~/machine-images/${id}`)
})

test('only the organization of an image claims its machines, unless it is published', async () => {
  const id = await warmImageOf('ours', 1)
  const { orgId, apiKey } = await service.otherOrganization()
  const request: Request = { key: apiKey }
  const asked = { imageId: id, name: 'theirs', maxLifeSeconds: 600 }
  const create = () => service.post(`/api/orgs/${orgId}/sandboxes/from-image`, asked, request)
  assert.deepEqual(code(await create()), [404, 'image.NOT_FOUND'])
  const [machine = ''] = await ready(id)
  // What runs in it belongs to the organization of the image, so it is served and weighed with that organization's machines.
  const { db } = service.pool
  assert.equal(await selectTenant(db, machine), service.orgId)
  assert.equal((await selectTenants(db, nodeId)).get(machine), service.orgId)

  await service.operator('PATCH', `${operatorImages}/${id}`, { scope: 'PUBLIC' })
  assert.equal((await seen(id)).warm, 1)
  const { body, text } = await create()
  assert.equal(body.sandbox?.status, 'RUNNING', text)
  assert.equal(await machineOf(service, body.sandbox.id), machine)
  assert.equal(await selectTenant(db, machine), orgId)
  assert.equal((await selectTenants(db, nodeId)).get(machine), orgId)
  assert.deepEqual((await service.get('~/sandboxes')).body, [])
  await service.remove(`/api/orgs/${orgId}/sandboxes/${body.sandbox.id}`, request)
  await service.remove(`~/machine-images/${id}`)
})

test('the pool is emptied when fewer machines are wanted, and when the image or its organization is deleted', async () => {
  const id = await warmImageOf('short-lived', 3)
  const [oldest = ''] = await ready(id)
  assert.equal((await setWarm(id, 1)).status, 200)
  await waitFor(async () => (await seen(id)).ready === 1)
  assert.deepEqual(await ready(id), [oldest])
  const { body } = await createFrom(id)
  await waitFor(async () => (await seen(id)).ready === 1)
  const [pooled = ''] = await ready(id)
  assert.equal((await service.delete(`~/machine-images/${id}`)).status, 204)
  await waitFor(async () => !(await machines()).includes(pooled))
  assert.equal(await diskOf(body.sandbox.id), 'short-lived')
  assert.deepEqual(code(await createFrom(id)), [404, 'image.NOT_FOUND'])
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  await waitFor(async () => (await folder.snapshots.list()).length === 0)

  const { orgId, apiKey } = await service.otherOrganization()
  const request: Request = { key: apiKey }
  const at = `/api/orgs/${orgId}`
  const { body: sandbox } = await service.post(`${at}/sandboxes`, { shape: 'small', wait: 30 }, request)
  const asked = { sandboxId: sandbox.id, name: 'theirs', deleteSandbox: true }
  const { body: theirs } = await service.post(`${at}/machine-images`, asked, request)
  await setWarm(theirs.id, 1)
  await waitFor(async () => (await seen(theirs.id)).ready === 1)
  const [left = ''] = await ready(theirs.id)
  assert.equal((await service.operator('DELETE', `/api/operator/organizations/${orgId}`)).status, 200)
  await waitFor(async () => !(await machines()).includes(left))
})

test('a machine that is being booted for an image is given up when the image is deleted', async () => {
  const id = await imageOf('gone')
  const end = await cluster.hinder('wait.create')
  await setWarm(id, 1)
  const rows = () =>
    service.pool.db.selectFrom('machines').select(['id', 'state']).where('image_id', '=', id).execute()
  await waitFor(async () => (await rows()).length === 1)
  const [{ id: machine } = { id: '' }] = await rows()
  assert.equal((await service.delete(`~/machine-images/${id}`)).status, 204)
  await end()
  await waitFor(async () => (await rows()).length === 0)
  assert.ok(!(await machines()).includes(machine))
  await waitFor(async () => (await folder.snapshots.list()).length === 0)
})

test('the pool leaves the last capacity to creates', async () => {
  const full = await imageOf('large', { shapeName: 'large' })
  assert.equal((await setWarm(full, 1)).status, 200)
  // Images are filled in the order of their age.
  const small = await warmImageOf('small', 1)
  assert.equal((await seen(full)).ready, 0)
  const { body, text } = await createFrom(full, { wait: 30 })
  assert.equal(body.sandbox?.status, 'RUNNING', text)
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  for (const id of [full, small]) await service.remove(`~/machine-images/${id}`)
})

test('only the operator decides about it, with a number, for an image that is ready', async () => {
  const id = await imageOf('refused')
  for (const warm of [-1, 1001, 1.5, '1', null])
    assert.deepEqual(code(await setWarm(id, warm)), [400, 'request.INVALID'])
  assert.deepEqual(code(await setWarm('absent', 1)), [404, 'image.NOT_FOUND'])
  assert.deepEqual(code(await setWarm('absent', 0)), [404, 'image.NOT_FOUND'])
  const owner = await service.call('PATCH', `${operatorImages}/${id}`, { body: { warm: 1 } })
  assert.deepEqual([owner.status, (await seen(id)).warm], [403, 0])
  await service.remove(`~/machine-images/${id}`)

  const sandboxId = await makeSandbox(service)
  const fail = await cluster.hinder('fail.take')
  await service.post('~/machine-images', { sandboxId, name: 'broken' })
  await fail()
  const { body } = await service.get('~/machine-images')
  const refused = await setWarm(body.images[0].id, 1)
  assert.deepEqual(code(refused), [409, 'image.NOT_READY'])
  assert.match(refused.body.message, /ERROR/)
  await service.remove(`~/machine-images/${body.images[0].id}`)
  await service.remove(`~/sandboxes/${sandboxId}`)
})

test('a start keeps the machines of images, and destroys those that are no longer wanted', async () => {
  const id = await warmImageOf('kept', 1)
  const other = await warmImageOf('not offered', 1, { shapeName: 'spare' })
  await waitFor(async () => (await ready(null)).length === 1)
  const [[kept], [ofShape = ''], [unwanted = '']] = await Promise.all([ready(id), ready(null), ready(other)])
  await service.service.close()
  await cluster.offer([{ warm: 0 }])
  service = await cluster.serve({ ...env, SANDGLASS_DATA: service.folder })
  await waitFor(async () => {
    const left = await machines()
    return !left.includes(ofShape) && !left.includes(unwanted)
  })
  assert.deepEqual(await ready(id), [kept])
  const { body, text } = await createFrom(id)
  assert.equal(body.sandbox?.status, 'RUNNING', text)
  assert.equal(await machineOf(service, body.sandbox.id), kept)
  assert.equal(await diskOf(body.sandbox.id), 'kept')
  await waitFor(async () => (await seen(id)).ready === 1)
})
