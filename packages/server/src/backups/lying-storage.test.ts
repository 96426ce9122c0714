import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownerAddress } from '../service-database.ts'
import { readSettings } from '../settings.ts'
import { cleanup } from '../testing/cleanup.ts'
import { startTestService } from '../testing/test-service.ts'
import { BackupKey } from './backup-key.ts'
import { createBackup } from './create-backup.ts'
import { Repository } from './repository.ts'
import { restoreBackup } from './restore-backup.ts'
import { FolderStorage } from './storage/folder-storage.ts'
import type { BackupStorage } from './storage/storage.ts'

const service = await startTestService()
const settings = readSettings({
  SANDGLASS_DATA: service.folder,
  ...(service.databaseUrl !== undefined && { DATABASE_URL: service.databaseUrl }),
})
const sealing = BackupKey.generate()
const folder = await mkdtemp(join(tmpdir(), 'sandglass-lies-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const honest = new FolderStorage(folder)

/** A storage that keeps what it is given, and lists something else. */
const lying = (list: (names: readonly string[]) => readonly string[]): BackupStorage => ({
  shown: honest.shown,
  get: name => honest.get(name),
  put: (name, body) => honest.put(name, body),
  delete: name => honest.delete(name),
  list: async function* (prefix) {
    yield* list(await Array.fromAsync(honest.list(prefix)))
  },
})

async function backUp(storage: BackupStorage, keep?: number): Promise<string> {
  const parts = { address: ownerAddress(settings), storage, sealing, nodeId: null, files: [], keep }
  return (await createBackup(parts)).manifest.id
}

const open = (storage: BackupStorage = honest) => Repository.open(storage, sealing)

async function verify(id: string): Promise<void> {
  const repository = await open()
  await repository.verify(await repository.manifest(id))
}

/** Restores into a folder that must stay empty. */
async function refuseRestore(storage: BackupStorage, says: RegExp): Promise<void> {
  const target = join(folder, 'restored')
  const repository = await open(storage)
  await assert.rejects(
    restoreBackup({
      settings: { ...settings, SANDGLASS_DATA: target, SANDGLASS_DISK_RESERVE: 0 },
      repository,
      openTransfer: async () => undefined,
      tell: () => {},
    }),
    says,
  )
  assert.deepEqual(await readdir(target).catch(() => []), [])
}

const [first, second] = [await backUp(honest), await backUp(honest)]

test('a storage that lists no chunks gets them again, and one that lists no backups has none', async () => {
  const forgetful = lying(() => [])
  const id = await backUp(forgetful)
  await verify(id)
  await refuseRestore(forgetful, /^BackupError: There is no complete backup in \S+\.$/)
})

test('a storage that does not list the new backup loses no other one, and the command says so', async () => {
  const late = lying(names => names.filter(name => !name.startsWith('backups/')))
  await assert.rejects(
    backUp(late, 1),
    /^BackupError: The backup \S+ was made, but \S+ does not list it, so no other one was removed\.$/,
  )
  for (const id of [first, second]) await verify(id)
})

test('a backup that is listed twice is counted once', async () => {
  const doubled = lying(names => names.flatMap(name => [name, name]))
  const ids = await (await open()).ids()
  const id = await backUp(doubled, ids.length + 1)
  assert.deepEqual(await (await open()).ids(), [...ids, id])
  await verify(first)
})

test('names that are no names of backups are refused with what to do', async () => {
  for (const [lie, shown] of [
    [(name: string) => name.slice(0, -3), 'backups/\\d{8}T\\d{6}-\\d{3}Z-...'],
    [() => 'backups/../../etc/passwd', 'backups/../../etc/passwd'],
    [() => 'backups/notes\u001b[2J', 'backups/notes\\\\u001b\\[2J'],
  ] as const) {
    const storage = lying(names => [...names.slice(0, -1), ...names.slice(-1).map(lie)])
    const says = new RegExp(`lists "${shown}", which is not the name of a backup\\. Remove it if .* --id\\.$`)
    await refuseRestore(storage, says)
    await assert.rejects((await open(storage)).newest(), says)
  }
})

test('a backup that is listed and not there is refused', async () => {
  const storage = lying(names => [...names, 'backups/20990101T000000-000Z-abcdef'])
  await refuseRestore(storage, /^BackupError: There is no backup 20990101T000000-000Z-abcdef in \S+\.$/)
})

test('other names among the chunks are left alone, and a chunk that is listed and not there is found', async () => {
  const before = await readdir(join(folder, 'chunks'), { recursive: true })
  const strange = ['chunks/..', 'chunks/ab/..', `chunks/zz/${'a'.repeat(64)}`, 'chunks/ab/notes', 'chunks/']
  const ids = await (await open()).ids()
  await verify(
    await backUp(
      lying(names => [...names, ...(names[0]?.startsWith('chunks/') ? strange : [])]),
      ids.length + 1,
    ),
  )
  const after = await readdir(join(folder, 'chunks'), { recursive: true })
  assert.deepEqual(
    before.filter(name => !after.includes(name)),
    [],
  )

  // It claims to have a project that it has never seen.
  await service.post('~/projects', { name: 'new' })
  const claimed = new Set<string>()
  const greedy: BackupStorage = {
    ...lying(names => names),
    put: async (name, body) => {
      if (name.startsWith('chunks/')) claimed.add(name)
      else await honest.put(name, body)
    },
  }
  const id = await backUp(greedy)
  assert.ok(claimed.size > 0)
  await assert.rejects(verify(id), /^BackupError: The backup is incomplete: chunks\/\S+ is missing in \S+\.$/)
  await refuseRestore(honest, /^BackupError: The backup is incomplete: chunks\/\S+ is missing in \S+\.$/)
})
