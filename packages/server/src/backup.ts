import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { KeptReader } from '@sandglass/machines/contract'
import { runAsRoot } from './as-root.ts'
import { BackupKey, unencrypted } from './backups/backup-key.ts'
import { backupCommandPlace } from './backups/command-place.ts'
import { createBackup } from './backups/create-backup.ts'
import { readDataFiles } from './backups/data-files.ts'
import { describeBackup } from './backups/describe-backup.ts'
import type { WantedKept } from './backups/kept/store-kept.ts'
import { keptKinds } from './backups/kept-kinds.ts'
import { Repository } from './backups/repository.ts'
import { openBackupStorage } from './backups/storage/open-storage.ts'
import { DataDirectory } from './data-directory.ts'
import type { EngineSetup } from './engines/engine-definition.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { runDatabase } from './owner-database.ts'
import { ownerAddress } from './service-database.ts'
import { readSettings, type Settings } from './settings.ts'

const usage = `npm run backup                   adds a backup to those in SANDGLASS_BACKUP_TO, whether the service is running or not
npm run backup -- --to <place>   uses another folder, or s3://bucket/prefix
npm run backup -- --keep <n>     also removes all backups but the newest n
npm run backup -- --images --snapshots --volumes
                                 also backs up their disks, or those in SANDGLASS_BACKUP_INCLUDE
npm run backup -- --list         lists the backups
npm run backup -- --verify       reads the newest backup completely (with --id <id>: that one)
npm run backup -- --new-key      prints a new key, for SANDGLASS_BACKUP_KEY or SANDGLASS_BACKUP_KEY_FILE
See docs/backup.md.`

/** `npm run backup`. */
try {
  const chosen = readArguments()
  if (chosen.help) console.log(usage)
  else if (chosen['new-key']) console.log(BackupKey.generate().text)
  else await start(chosen)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Only root can read the disks of machines on this host. */
async function start(chosen: ReturnType<typeof readArguments>): Promise<void> {
  const env = readEnvironment(process.env)
  const settings = readSettings(env)
  const include = new Set([
    ...settings.SANDGLASS_BACKUP_INCLUDE,
    ...keptKinds.filter(kind => chosen[kind] === true),
  ])
  const isBackup = !chosen.list && !chosen.verify
  const engines = isBackup && include.size > 0 ? setUpEngines(env, settings) : []
  const args = process.argv.slice(2)
  const command = ['npm run backup --', ...args].join(' ')
  const code = engines.some(({ needsRoot, isInstalled }) => needsRoot && isInstalled)
    ? await runAsRoot({ file: import.meta.filename, args, command })
    : undefined
  if (code !== undefined) process.exitCode = code
  else await work(settings, chosen, { include, readers: await readersOf(engines), tell })
}

function tell(line: string): void {
  console.log(line)
}

async function readersOf(engines: readonly EngineSetup[]): Promise<Map<string, KeptReader>> {
  const readers = new Map<string, KeptReader>()
  for (const { name, openTransfer } of engines) {
    const transfer = await openTransfer?.({ isNew: false, tell })
    if (transfer) readers.set(name, transfer)
  }
  return readers
}

async function work(
  settings: Settings,
  chosen: ReturnType<typeof readArguments>,
  kept: WantedKept,
): Promise<void> {
  const place = backupCommandPlace('--to', chosen.to, settings)
  if (place.kind === 'folder' && !chosen.list && !chosen.verify)
    await mkdir(place.path, { recursive: true, mode: 0o700 })
  const storage = openBackupStorage(place, settings)
  const sealing = settings.SANDGLASS_BACKUP_KEY ?? unencrypted
  if (chosen.list) {
    const repository = await Repository.open(storage, sealing)
    for (const id of await repository.ids()) console.log(describeBackup(await repository.manifest(id)))
  } else if (chosen.verify) {
    const repository = await Repository.open(storage, sealing)
    const id = chosen.id ?? (await repository.newest())
    await repository.verify(await repository.manifest(id))
    console.log(`The backup ${id} is complete.`)
  } else {
    await using _database = await runDatabase(settings)
    const { manifest, removed } = await createBackup({
      address: ownerAddress(settings),
      storage,
      sealing,
      nodeId: await DataDirectory.nodeIdIn(settings.SANDGLASS_DATA),
      files: await readDataFiles(settings),
      ...(kept.include.size > 0 && { kept }),
      keep: chosen.keep === undefined ? undefined : numberOf(chosen.keep),
    })
    console.log(describeBackup(manifest))
    if (removed.length > 0) console.log(`Removed ${removed.join(', ')}.`)
    if (sealing.check === null)
      console.log(
        'It is not encrypted, and contains the secret key. Set SANDGLASS_BACKUP_KEY_FILE, or let nobody else read it.',
      )
  }
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error('--keep must be a whole number above 0.')
  return Number(text)
}

function readArguments() {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  try {
    const options = {
      to: text,
      keep: text,
      id: text,
      list: flag,
      verify: flag,
      images: flag,
      snapshots: flag,
      volumes: flag,
      'new-key': flag,
      help: flag,
    }
    return parseArgs({ options }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
