import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotSpec } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { transact } from '../packages/server/src/db/transact.ts'
import { insertMachine } from '../packages/server/src/records/machines.ts'
import { insertSandbox } from '../packages/server/src/records/sandboxes.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { nodeIdIn } from './support/nodes.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { cluster, folder } = await openCluster()

const disks = async () => (await folder.snapshots.list()).map(({ id }) => id).sort()
const diskRows = async ({ pool: { db } }: TestService) =>
  (await db.selectFrom('saved_disks').select('id').execute()).map(({ id }) => id)

/** Starts the service again, as after a crash in which the previous process recorded nothing more. */
const startAgain = ({ folder: data }: TestService) => cluster.serve({ ...env, SANDGLASS_DATA: data })

async function ownerOf(service: TestService, number: number): Promise<NonNullable<SnapshotSpec['owner']>> {
  const { id: installation } = await service.pool.db
    .selectFrom('installation')
    .select('id')
    .executeTakeFirstOrThrow()
  return { installation, node: await nodeIdIn(service.folder), number }
}

/** Adds the row of a disk that is being saved, and the disk itself. */
async function halfSaved(service: TestService, sandboxId: string, id: string): Promise<void> {
  const { db } = service.pool
  const machine = await db
    .selectFrom('machines')
    .selectAll()
    .where('id', '=', await machineOf(service, sandboxId))
    .executeTakeFirstOrThrow()
  const { number } = await db
    .insertInto('saved_disks')
    .values({
      id,
      node_id: machine.node_id,
      engine: machine.engine,
      shape_name: machine.shape_name,
      spec: JSON.stringify(machine.spec),
      state: 'taking',
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  const owner = await ownerOf(service, Number(number))
  await folder.snapshots.take(await handleOf(service, sandboxId), { id, owner })
}

test('an image and a snapshot that were being saved are in ERROR with a reason, and their disks are removed', async () => {
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  await before.service.close()
  const { db } = before.pool
  for (const disk of ['disk-image', 'disk-snapshot', 'disk-fork']) await halfSaved(before, id, disk)
  const { orgId } = before
  const image = { id: 'image', org_id: orgId, name: 'half', description: null, shape_name: 'small' }
  await db
    .insertInto('machine_images')
    .values({ ...image, disk_id: 'disk-image', created_by: 'test' })
    .execute()
  await db
    .insertInto('sandbox_snapshots')
    .values({ id: 'snapshot', org_id: orgId, sandbox_id: id, name: 'half', disk_id: 'disk-snapshot' })
    .execute()

  const service = await startAgain(before)
  const reason = 'The service ended while the disk was being saved.'
  const { body: listed } = await service.get('~/machine-images')
  assert.deepEqual([listed.images[0].status, listed.images[0].reason], ['ERROR', reason])
  const { body: snapshots } = await service.get(`~/sandboxes/${id}/snapshots`)
  assert.deepEqual([snapshots[0].status, snapshots[0].reason], ['ERROR', reason])
  await waitFor(async () => (await disks()).length === 0 && (await diskRows(service)).length === 0)
  assert.equal((await service.delete('~/machine-images/image')).status, 204)
  await service.service.close()
})

test('a disk that no row refers to is removed, unless another service may need it', async () => {
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  await before.service.close()
  const handle = await handleOf(before, id)
  const own = await ownerOf(before, 1)
  const take = (name: string, owner?: SnapshotSpec['owner']) =>
    folder.snapshots.take(handle, { id: name, ...(owner && { owner }) })
  await take('disk-forgotten', own)
  await take('disk-newer', { ...own, number: 1_000_000 })
  await take('disk-other-node', { ...own, node: 'another' })
  await take('disk-other-installation', { ...own, installation: 'another' })
  await take('disk-unknown')
  const kept = ['disk-newer', 'disk-other-installation', 'disk-other-node', 'disk-unknown']

  const service = await startAgain(before)
  await waitFor(async () => !(await disks()).includes('disk-forgotten'))
  assert.deepEqual(await disks(), kept)
  await service.service.close()
  // A database that has reached the number since does not make the disk its own.
  await sql`UPDATE nodes SET last_machine_number = 1000000`.execute(before.pool.db)
  const again = await startAgain(before)
  assert.deepEqual(await disks(), kept)
  await again.service.close()
  for (const { handle: left } of await folder.snapshots.list()) await folder.snapshots.remove(left)
})

test('a fork that was recorded but not created yet is created from the disk, which is removed then', async () => {
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  folder.write(await handleOf(before, id), 'common')
  await before.service.close()
  const { db } = before.pool
  await halfSaved(before, id, 'disk-forks')
  const handle = { engine: 'folder', version: 1, state: 'disk-forks' }
  await db
    .updateTable('saved_disks')
    .set({ state: 'doomed', handle: JSON.stringify(handle) })
    .where('id', '=', 'disk-forks')
    .execute()
  const fork = await transact(db, async tx => {
    const source = await tx.selectFrom('sandboxes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const nodeId = source.node_id ?? ''
    const spec = { id: 'fork', image: 'paper', cpus: 1, memoryMiB: 64, diskMiB: 64, pids: 32, env: {} }
    const machine = await insertMachine(tx, {
      nodeId,
      engine: 'folder',
      shapeName: 'small',
      spec,
      diskId: 'disk-forks',
    })
    return insertSandbox(tx, {
      id: 'fork',
      orgId: before.orgId,
      projectId: source.project_id,
      nodeId,
      machineId: machine.id,
      createdBy: 'service:test',
      name: 'fork',
      shapeName: 'small',
      pricePerHour: 1,
      status: 'PENDING',
      lifeSeconds: 3600,
      lifecycle: { onTimeout: 'delete', autoResume: false, onIdle: 'delete' },
      labels: {},
    })
  })

  const service = await startAgain(before)
  await waitFor(async () => (await service.get(`~/sandboxes/${fork.id}/status`)).body.status === 'RUNNING')
  assert.equal(folder.diskOf(await handleOf(service, fork.id)), 'common')
  await waitFor(async () => (await disks()).length === 0 && (await diskRows(service)).length === 0)
  await service.service.close()
})

test('a disk that could not be removed is removed by the next start', async () => {
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  const { body: image } = await before.post('~/machine-images', { sandboxId: id, name: 'stubborn' })
  const end = await cluster.hinder('fail.remove')
  assert.equal((await before.delete(`~/machine-images/${image.id}`)).status, 204)
  await waitFor(async () => {
    const rows = await before.pool.db.selectFrom('saved_disks').select('state').execute()
    return rows.some(({ state }) => state === 'doomed')
  })
  assert.equal((await disks()).length, 1)
  await before.service.close()
  await end()
  const service = await startAgain(before)
  await waitFor(async () => (await disks()).length === 0 && (await diskRows(service)).length === 0)
  await service.service.close()
})
