import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import type { ForkResult } from '@sandglass/protocol'
import { beginBuild, build, builtImage } from '../../testing/build-image.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { exportImage, importImage, refusalOf } from '../../testing/image-files.ts'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { runInSandbox } from '../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import type { Answer } from '../../testing/test-service.ts'
import { imageFileWith, layerOf } from './files/testing/archives.ts'
import { openSpoolFiles } from './files/testing/spool-files.ts'

const MiB = 1024 * 1024
const reserveDiskMiB = 64
/** The disk of every machine. */
const diskMiB = 512
/** Large enough that the disks of machines get a volume. */
const host = await smallDisk(9216)
cleanup.defer(() => host.dispose())
const data = await smallDisk(768)
cleanup.defer(() => data.dispose())
const machines = await startMachineService({
  dataDir: join(host.folder, 'local'),
  volumeMiB: 640,
  reserveDiskMiB,
  diskOvercommit: 1,
  env: { SANDGLASS_DATA: data.folder, SANDGLASS_DISK_RESERVE: String(reserveDiskMiB) },
})
const { service, engine } = machines
const imageId = await builtImage(service)
const source = await makeSandbox(service)
await runInSandbox(machines, source, 'head -c 50000000 /dev/urandom > kept; sha256sum kept > sum; sync')

const code = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body?.code]
const isFull = [503, 'node.DISK_FULL']
const hasNoCapacity = [503, 'machine.NO_CAPACITY']
const script = { from: { shapeName: 'small' }, steps: [{ run: 'echo $RANDOM > /srv/step' }], name: 'built' }

/** Sandboxes that only take space. */
const others: string[] = []

/** Fills the disk of the host, so that the volume cannot grow, and the volume with sandboxes, until no other fits. */
async function fill(): Promise<void> {
  await host.fill(reserveDiskMiB / 2)
  while ((await engine.capacity(diskMiB)).fits > 0) others.push(await makeSandbox(service))
}

/** The source still works, and nothing is left of what failed: one image has a disk, and only sandboxes have machines. */
async function requireSource(disks = 1): Promise<void> {
  const printed = await runInSandbox(
    machines,
    source,
    'sha256sum -c sum; echo more >> notes; tail -n 1 notes',
  )
  assert.equal(printed, 'kept: OK\nmore')
  const { body } = await service.get(`~/sandboxes/${source}/status`)
  assert.equal(body.status, 'RUNNING')
  await waitFor(async () => (await engine.list()).length === 1 + others.length)
  await waitFor(async () => (await engine.snapshots.list()).length === disks)
  const files = await readdir(engine.settings.disksDir, { recursive: true })
  assert.deepEqual(
    files.filter(name => name.endsWith('.part')),
    [],
  )
  assert.deepEqual(await openSpoolFiles(data.folder), [])
}

test('on a full host, everything that needs a disk is refused with the reason, and the source goes on', async () => {
  await fill()
  const snapshot = await service.post(`~/sandboxes/${source}/snapshots`, {})
  assert.deepEqual(code(snapshot), isFull, snapshot.text)
  assert.match(snapshot.body.message, /no space for the snapshot/)
  const image = await service.post('~/machine-images', { sandboxId: source, name: 'full' })
  assert.deepEqual(code(image), isFull, image.text)
  const { body: forked } = await service.post(`~/sandboxes/${source}/fork`)
  assert.equal(forked.results[0].error.code, 'machine.NO_CAPACITY')
  const building = await beginBuild(service, script)
  assert.deepEqual(await refusalOf(building), hasNoCapacity)
  const exported = await exportImage(service, imageId)
  assert.deepEqual(await refusalOf(exported), hasNoCapacity)
  const file = imageFileWith(layerOf([{ name: 'srv/file' }]))
  assert.deepEqual(code(await importImage(service, file, { name: 'imported' })), hasNoCapacity)
  await requireSource()
  const { body: snapshots } = await service.get(`~/sandboxes/${source}/snapshots`)
  const { body: images } = await service.get('~/machine-images')
  for (const { status, reason } of [...snapshots, ...images.images])
    assert.ok(status === 'READY' || (status === 'ERROR' && reason), `${status} ${reason}`)
})

test('on a host with space for one more machine, what such a machine would save is refused, and leaves nothing', async () => {
  await service.remove(`~/sandboxes/${others.pop()}`)
  await waitFor(async () => (await engine.capacity(diskMiB)).fits === 1)
  const failed = (await build(service, script)).at(-1)
  assert.ok(failed?.event === 'failed', JSON.stringify(failed))
  assert.match(failed.reason, /no space/)
  await requireSource()
  const layer = layerOf([{ name: 'srv/file', content: randomBytes(MiB) }])
  const imported = await importImage(service, imageFileWith(layer), { name: 'imported' })
  assert.deepEqual(code(imported), isFull, JSON.stringify(imported.body))
  await requireSource()
  const { body } = await service.post(`~/sandboxes/${source}/fork`)
  for (const result of body.results as ForkResult[]) {
    if ('error' in result) continue
    const { id } = result.sandbox
    await waitFor(async () => {
      const { sandbox } = (await service.get(`~/sandboxes/${id}`)).body
      if (sandbox.status === 'ERROR') assert.match(sandbox.reason, /space|disk/)
      return sandbox.status !== 'PENDING'
    })
    await service.remove(`~/sandboxes/${id}`)
  }
  await requireSource()
  await host.empty()
  for (const id of others.splice(0)) await service.remove(`~/sandboxes/${id}`)
})

test('a service without space for the file of an image refuses it, and keeps nothing of it', async () => {
  await data.fill(reserveDiskMiB + 24)
  const exported = await exportImage(service, imageId)
  assert.deepEqual(await refusalOf(exported), isFull)
  const layer = layerOf([{ name: 'srv/file', content: randomBytes(64 * MiB) }])
  const imported = await importImage(service, imageFileWith(layer), { name: 'imported' })
  assert.deepEqual(code(imported), isFull, JSON.stringify(imported.body))
  await requireSource()
  await data.empty()
})

test('everything works again when there is space', async () => {
  const { body: snapshot } = await service.post(`~/sandboxes/${source}/snapshots`, {})
  assert.equal(snapshot.status, 'READY', snapshot.reason)
  const built = (await build(service, script)).at(-1)
  assert.ok(built?.event === 'finished', JSON.stringify(built))
  await requireSource(3)
})
