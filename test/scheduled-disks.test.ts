import assert from 'node:assert/strict'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { unencrypted } from '../packages/server/src/backups/backup-key.ts'
import { Repository } from '../packages/server/src/backups/repository.ts'
import { FolderStorage } from '../packages/server/src/backups/storage/folder-storage.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { call, temporaryFolder } from './support/service-process.ts'

const backups = join(await temporaryFolder(), 'backups')
await mkdir(backups)
// The service runs as a user of its own.
await chmod(backups, 0o777)
const seconds = 3
const installation = await MachineInstallation.start({
  env: {
    SANDGLASS_BACKUP_TO: backups,
    SANDGLASS_BACKUP_HOURS: String(seconds / 3600),
    SANDGLASS_BACKUP_INCLUDE: 'images,volumes',
  },
})
/** Where volumes are copied to while they are read. */
const copies = join(installation.engineOptions.dataDir, 'disks', 'read')

async function ask(method: string, path: string, body?: unknown) {
  const answer = await call(installation.credentials, method, path, body)
  assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer))
  return answer.body
}

async function newest() {
  const repository = await Repository.open(new FolderStorage(backups), unencrypted)
  return { repository, manifest: await repository.manifest(await repository.newest()) }
}

test('a service without rights backs up disks on schedule, through the process that has them', async () => {
  const volume = await ask('POST', '~/volumes', { name: 'data', sizeMiB: 64 })
  const sandbox = await ask('POST', '~/sandboxes', {
    shapeName: 'small',
    volumes: [{ name: 'data', path: '/home/user/data' }],
    wait: 60,
  })
  const args = ['-c', 'seq 200000 > data/numbers; sync']
  await ask('POST', `~/sandboxes/${sandbox.id}/process`, { executable: 'sh', args })
  const image = await ask('POST', '~/machine-images', { sandboxId: sandbox.id, name: 'saved' })
  await waitFor(async () =>
    (await ask('GET', '~/machine-images')).images.some(
      (one: { id: string; status: string }) => one.id === image.id && one.status === 'READY',
    ),
  )

  await waitFor(async () => (await newest().catch(() => undefined))?.manifest.kept.length === 3)
  const { repository, manifest } = await newest()
  assert.deepEqual(manifest.kept.map(({ kind }) => kind).sort(), ['base', 'disk', 'volume'])
  await repository.verify(manifest)
  const copy = manifest.kept.find(({ kind }) => kind === 'volume') ?? assert.fail()
  assert.deepEqual([copy.id, copy.content.bytes], [volume.id, 64 * 1024 * 1024])
  const content: Buffer[] = []
  for await (const piece of repository.read(copy.content)) content.push(piece)
  assert.ok(Buffer.concat(content).includes('\n199999\n200000\n'))
})

test('a service that ends while it reads disks leaves no copy behind', async () => {
  const { service } = installation
  const count = () => service.printed.split('Reading the volume').length
  const before = count()
  await waitFor(() => count() > before)
  service.signal('SIGTERM')
  assert.equal(await service.exit(), 0)
  assert.doesNotMatch(service.printed, /the scheduled backup has failed/)
  assert.deepEqual(await readdir(copies), [])
})
