import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Volume } from '@sandglass/protocol'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { nodeIdIn } from './support/nodes.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { cluster, folder } = await openCluster()

const onEngine = async () => (await folder.volumes.list()).map(({ id }) => id).sort()
/** Starts the service again, as after a crash in which the previous process recorded nothing more. */
const startAgain = ({ folder: data }: TestService) => cluster.serve({ ...env, SANDGLASS_DATA: data })
const list = async (service: TestService): Promise<Volume[]> => (await service.get('~/volumes')).body
const statuses = async (service: TestService) => (await list(service)).map(({ status }) => status)

async function insert(service: TestService, id: string, state: 'creating' | 'ready' | 'doomed') {
  const nodeId = await nodeIdIn(service.folder)
  const { number } = await service.pool.db
    .insertInto('volumes')
    .values({
      id,
      org_id: service.orgId,
      name: id,
      size_mib: 64,
      node_id: nodeId,
      engine: 'folder',
      state,
      created_by: 'test',
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  const { id: installation } = await service.pool.db
    .selectFrom('installation')
    .select('id')
    .executeTakeFirstOrThrow()
  return { installation, node: nodeId, number: Number(number) }
}

test('a volume that was being created is completed, and one that was being deleted is deleted', async () => {
  const service = await cluster.serve(env)
  await insert(service, 'vol-nothing', 'creating')
  const half = await insert(service, 'vol-half', 'creating')
  const doomed = await insert(service, 'vol-doomed', 'doomed')
  await folder.volumes.create({ id: 'vol-half', sizeMiB: 64, owner: half })
  await folder.volumes.create({ id: 'vol-doomed', sizeMiB: 64, owner: doomed })
  await service.service.close()
  const next = await startAgain(service)
  await waitFor(async () => (await statuses(next)).join() === 'READY,READY')
  await waitFor(async () => (await onEngine()).join() === 'vol-half,vol-nothing')
  for (const { id } of await list(next)) await next.remove(`~/volumes/${id}`)
  await waitFor(async () => (await onEngine()).length === 0)
  await next.service.close()
})

test('a volume without a row is left alone, whoever made it', async () => {
  const service = await cluster.serve(env)
  const owner = await insert(service, 'vol-known', 'creating')
  await service.pool.db.deleteFrom('volumes').where('id', '=', 'vol-known').execute()
  const owners = {
    'vol-forgotten': owner,
    'vol-newer': { ...owner, number: owner.number + 1000 },
    'vol-other': { ...owner, installation: 'other' },
    'vol-neighbour': { ...owner, node: 'neighbour' },
  }
  for (const [id, each] of Object.entries(owners))
    await folder.volumes.create({ id, sizeMiB: 64, owner: each })
  await folder.volumes.create({ id: 'vol-nobodys', sizeMiB: 64 })
  await service.service.close()
  const next = await startAgain(service)
  assert.deepEqual(await list(next), [])
  assert.deepEqual(await onEngine(), [...Object.keys(owners), 'vol-nobodys'].sort())
  await next.service.close()
  for (const { handle } of await folder.volumes.list()) await folder.volumes.remove(handle)
})

test('a volume that the engine has lost says so, cannot be used, and can be deleted', async () => {
  const service = await cluster.serve(env)
  const { body: volume } = await service.post('~/volumes', { name: 'lost', sizeMiB: 64 })
  const [kept] = await folder.volumes.list()
  assert.ok(kept)
  await folder.volumes.remove(kept.handle)
  await service.service.close()
  const next = await startAgain(service)
  const [listed] = await list(next)
  assert.deepEqual([listed?.status, listed?.reason], ['ERROR', 'The node does not have the volume any more.'])
  const volumes = [{ name: 'lost', path: '/srv/data' }]
  const { status, body } = await next.post('~/sandboxes', { shapeName: 'small', volumes })
  assert.deepEqual([status, body.code], [409, 'volume.NOT_READY'])
  // It may come back, for example with a disk of the host.
  await folder.volumes.create({ id: volume.id, sizeMiB: 64, ...(kept.owner && { owner: kept.owner }) })
  await next.service.close()
  const last = await startAgain(service)
  assert.deepEqual(await statuses(last), ['READY'])
  const id = await makeSandbox(last, { volumes })
  assert.deepEqual(folder.specOf(await handleOf(last, id)).volumes, [{ id: volume.id, path: '/srv/data' }])
  await last.remove(`~/sandboxes/${id}`)
  assert.equal((await last.delete(`~/volumes/${volume.id}`)).status, 200)
  await waitFor(async () => (await onEngine()).length === 0)
  await last.service.close()
})
