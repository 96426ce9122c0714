import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { OperatorVolume, Volume } from '@sandglass/protocol'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { Answer } from '../packages/server/src/testing/test-service.ts'
import { handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { startCluster } from './support/folder-engine/open-cluster.ts'

const { cluster, folder, service } = await startCluster()

const code = ({ status, body }: Answer) => [status, body?.code]
const onEngine = async () => (await folder.volumes.list()).map(({ id }) => id)
const list = async (): Promise<Volume[]> => (await service.get('~/volumes')).body

async function makeVolume(name: string, sizeMiB = 64): Promise<Volume> {
  const { status, body, text } = await service.post('~/volumes', { name, sizeMiB })
  assert.equal(status, 200, text)
  assert.equal(body.status, 'READY')
  return body
}
const at = (name: string, path = '/srv/data', readOnly = false) => ({ volumes: [{ name, path, readOnly }] })
const create = (choices: object) => service.post('~/sandboxes', { shapeName: 'small', ...choices })
const remove = async (sandboxId: string) =>
  assert.equal((await service.delete(`~/sandboxes/${sandboxId}`)).status, 200)

test('a volume outlives its sandboxes, and is deleted when none has it', async () => {
  const volume = await makeVolume('data')
  assert.deepEqual([volume.name, volume.sizeMiB, volume.sandboxes], ['data', 64, []])
  assert.deepEqual(await onEngine(), [volume.id])
  const id = await makeSandbox(service, at('data'))
  const { volumes } = folder.specOf(await handleOf(service, id))
  assert.deepEqual(volumes, [{ id: volume.id, path: '/srv/data' }])
  const [listed] = await list()
  assert.deepEqual(listed?.sandboxes, [{ sandboxId: id, path: '/srv/data', readOnly: false }])
  assert.deepEqual(code(await service.delete(`~/volumes/${volume.id}`)), [409, 'volume.IN_USE'])
  await remove(id)
  const again = await makeSandbox(service, at('data', '/home/user/data'))
  await remove(again)
  // Not even the machine has to be gone for that.
  assert.equal((await service.delete(`~/volumes/${volume.id}`)).status, 200)
  assert.deepEqual(await list(), [])
  assert.deepEqual(code(await service.delete(`~/volumes/${volume.id}`)), [404, 'volume.NOT_FOUND'])
  await waitFor(async () => (await onEngine()).length === 0)
  await waitFor(async () => (await service.pool.db.selectFrom('volumes').select('id').execute()).length === 0)
})

test('one sandbox writes, or several read', async () => {
  const { id: volumeId } = await makeVolume('shared')
  const writer = await makeSandbox(service, at('shared'))
  assert.deepEqual(code(await create(at('shared'))), [409, 'volume.IN_USE'])
  assert.deepEqual(code(await create(at('shared', '/srv/data', true))), [409, 'volume.IN_USE'])
  await service.post(`~/sandboxes/${writer}/hibernate`)
  assert.deepEqual(code(await create(at('shared'))), [409, 'volume.IN_USE'])
  await remove(writer)
  const readers = [
    await makeSandbox(service, at('shared', '/srv/a', true)),
    await makeSandbox(service, at('shared', '/srv/b', true)),
  ]
  assert.deepEqual(code(await create(at('shared'))), [409, 'volume.IN_USE'])
  for (const reader of readers) await remove(reader)
  const answers = await Promise.all([0, 1, 2, 3].map(() => create(at('shared'))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
  for (const { status, body } of answers) if (status === 200) await remove(body.id)
  await service.remove(`~/volumes/${volumeId}`)
})

test('operators see and delete the volumes of all organizations, except those in use', async () => {
  const { id: volumeId } = await makeVolume('watched')
  const id = await makeSandbox(service, at('watched'))
  const { body: all } = await service.operator('GET', '/api/operator/volumes')
  assert.deepEqual(
    all.map(({ id, organizationId, name, sandboxes }: OperatorVolume) => ({
      id,
      organizationId,
      name,
      sandboxes,
    })),
    [
      {
        id: volumeId,
        organizationId: service.orgId,
        name: 'watched',
        sandboxes: [{ sandboxId: id, path: '/srv/data', readOnly: false }],
      },
    ],
  )
  const path = `/api/operator/volumes/${volumeId}`
  const refused = await service.operator('DELETE', path)
  assert.deepEqual(code(refused), [409, 'volume.IN_USE'])
  await remove(id)
  assert.equal((await service.operator('DELETE', path)).status, 200)
  assert.deepEqual(code(await service.operator('DELETE', path)), [404, 'volume.NOT_FOUND'])
  assert.deepEqual((await service.operator('GET', '/api/operator/volumes')).body, [])
  await waitFor(async () => (await onEngine()).length === 0)
})

test('the next machine waits until the machine that had the volume is destroyed', async () => {
  const { id: volumeId } = await makeVolume('handed-on')
  const first = await makeSandbox(service, at('handed-on'))
  const machineId = await machineOf(service, first)
  const mend = await cluster.cut(machineId)
  await remove(first)
  const { body: second } = await create(at('handed-on'))
  const statusOf = async () => (await service.get(`~/sandboxes/${second.id}/status`)).body.status
  assert.equal(await statusOf(), 'PENDING')
  await mend()
  await waitFor(async () => (await statusOf()) === 'RUNNING')
  assert.ok(!(await folder.list()).some(({ id }) => id === machineId))
  await remove(second.id)
  await service.remove(`~/volumes/${volumeId}`)
})

test('a failed create leaves the volume to others', async () => {
  const { id: volumeId } = await makeVolume('unhurt')
  const { body: sandbox } = await create({ ...at('unhurt'), projectId: 'none' })
  assert.equal(sandbox.code, 'project.NOT_FOUND')
  await remove(await makeSandbox(service, at('unhurt')))
  await service.remove(`~/volumes/${volumeId}`)
})

test('names are unique, sizes and numbers are limited by the plan, and a full host is a 503', async () => {
  const { id: volumeId } = await makeVolume('named', 100)
  assert.deepEqual(code(await service.post('~/volumes', { name: 'named', sizeMiB: 64 })), [
    409,
    'volume.EXISTS',
  ])
  const limits = (body: object) => service.operator('PATCH', '/api/operator/plans/unlimited', body)
  assert.equal((await limits({ volumesMiB: 200 })).body.volumesMiB, 200)
  assert.deepEqual(code(await service.post('~/volumes', { name: 'b', sizeMiB: 101 })), [
    409,
    'volume.TOO_LARGE',
  ])
  await limits({ volumesMiB: null, volumes: 1 })
  assert.deepEqual(code(await service.post('~/volumes', { name: 'b', sizeMiB: 64 })), [
    409,
    'volume.TOO_MANY',
  ])
  await limits({ volumes: null })
  const end = await cluster.hinder('fail.volume')
  const full = await service.post('~/volumes', { name: 'b', sizeMiB: 64 })
  assert.deepEqual(code(full), [503, 'node.DISK_FULL'])
  await end()
  await makeVolume('b')
  for (const body of [
    { name: '', sizeMiB: 64 },
    { name: 'c', sizeMiB: 63 },
    { name: 'c', sizeMiB: 64.5 },
    { name: 'c' },
  ])
    assert.deepEqual(code(await service.post('~/volumes', body)), [400, 'request.INVALID'])
  for (const { id } of await list()) await service.remove(`~/volumes/${id}`)
  assert.deepEqual(code(await service.delete(`~/volumes/${volumeId}`)), [404, 'volume.NOT_FOUND'])
})

test('a create with a key is answered once', async () => {
  const headers = { 'idempotency-key': 'one volume' }
  const post = () =>
    service.call('POST', `/api/orgs/${service.orgId}/volumes`, {
      headers,
      body: { name: 'once', sizeMiB: 64 },
    })
  const [first, second] = [await post(), await post()]
  assert.deepEqual([first.status, first.body.id], [200, second.body.id])
  assert.equal(second.body.status, 'READY')
  await service.remove(`~/volumes/${first.body.id}`)
})

test('paths that the system needs and volumes that do not exist are refused', async () => {
  await makeVolume('one')
  for (const path of [
    '/',
    'x',
    '/etc/x',
    '/usr',
    '/proc/self',
    '/run',
    '/srv/../etc',
    '/srv/',
    '/tmp/.X11-unix',
  ])
    assert.deepEqual(code(await create(at('one', path))), [400, 'request.INVALID'], path)
  const twice = [
    { name: 'one', path: '/srv/a' },
    { name: 'one', path: '/srv/b' },
  ]
  assert.deepEqual(code(await create({ volumes: twice })), [400, 'request.INVALID'])
  assert.deepEqual(code(await create(at('absent'))), [404, 'volume.NOT_FOUND'])
  for (const { id } of await list()) await service.remove(`~/volumes/${id}`)
})

test("another organization's volume does not exist, nor does any for a trial", async () => {
  const { id } = await makeVolume('private')
  const { orgId, apiKey } = await service.otherOrganization()
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/orgs/${orgId}${path}`, { key: apiKey, body })
  assert.deepEqual((await call('GET', '/volumes')).body, [])
  assert.deepEqual(code(await call('DELETE', `/volumes/${id}`)), [404, 'volume.NOT_FOUND'])
  const body = { shapeName: 'small', ...at('private') }
  assert.deepEqual(code(await call('POST', '/sandboxes', body)), [404, 'volume.NOT_FOUND'])
  // Its own volume can have the same name.
  const own = await call('POST', '/volumes', { name: 'private', sizeMiB: 64 })
  assert.equal(own.status, 200)
  const { body: trial } = await service.post('~/trial-tokens', { name: 'trial', shapeNames: ['small'] })
  const tried = await service.call('POST', `/api/orgs/${service.orgId}/sandboxes`, {
    key: null,
    headers: { 'x-trial-session-token': trial.trialToken },
    body,
  })
  assert.deepEqual(code(tried), [404, 'volume.NOT_FOUND'])
  await call('DELETE', `/volumes/${own.body.id}`)
  await service.remove(`~/volumes/${id}`)
})

test('forks and images have no volumes of their source', async () => {
  const { id: volumeId } = await makeVolume('source')
  const id = await makeSandbox(service, at('source'))
  const { body: forked } = await service.post(`~/sandboxes/${id}/fork`, { count: 1 })
  const fork = forked.results[0].sandbox.id
  await waitFor(async () => (await service.get(`~/sandboxes/${fork}/status`)).body.status === 'RUNNING')
  assert.equal(folder.specOf(await handleOf(service, fork)).volumes, undefined)
  const { body: image } = await service.post('~/machine-images', { sandboxId: id, name: 'image' })
  const from = { imageId: image.id, name: 'copy', maxLifeSeconds: 600, wait: 30 }
  const { body: plain } = await service.post('~/sandboxes/from-image', from)
  assert.equal(folder.specOf(await handleOf(service, plain.sandbox.id)).volumes, undefined)
  const busy = await service.post('~/sandboxes/from-image', { ...from, ...at('source') })
  assert.deepEqual(code(busy), [409, 'volume.IN_USE'])
  await remove(id)
  const { body: own } = await service.post('~/sandboxes/from-image', { ...from, ...at('source') })
  assert.deepEqual(folder.specOf(await handleOf(service, own.sandbox.id)).volumes, [
    { id: volumeId, path: '/srv/data' },
  ])
  for (const each of [fork, plain.sandbox.id, own.sandbox.id]) await remove(each)
  await service.remove(`~/machine-images/${image.id}`)
  await service.remove(`~/volumes/${volumeId}`)
})

test('the volumes of an organization that is deleted are deleted', async () => {
  const { orgId: id, apiKey: key } = await service.otherOrganization()
  const made = await service.call('POST', `/api/orgs/${id}/volumes`, {
    key,
    body: { name: 'x', sizeMiB: 64 },
  })
  assert.equal(made.status, 200)
  assert.equal((await service.operator('DELETE', `/api/operator/organizations/${id}`)).status, 200)
  await waitFor(async () => !(await onEngine()).includes(made.body.id))
})
