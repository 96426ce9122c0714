import { parseArgs } from 'node:util'
import { readSealing } from './backups/backup-key-source.ts'
import { backupCommandPlace } from './backups/command-place.ts'
import { Repository } from './backups/repository.ts'
import { restoreBackup } from './backups/restore-backup.ts'
import { openBackupStorage } from './backups/storage/open-storage.ts'
import { readSettings } from './settings.ts'

const usage = `npm run restore                     restores the newest backup in SANDGLASS_BACKUP_TO into SANDGLASS_DATA, which is empty
npm run restore -- --from <place>   uses another folder, or s3://bucket/prefix
npm run restore -- --id <id>        restores this backup; npm run backup -- --list lists them
See docs/backup.md.`

/** `npm run restore`. */
try {
  const chosen = readArguments()
  if (chosen.help) console.log(usage)
  else {
    const settings = readSettings(process.env)
    const storage = openBackupStorage(backupCommandPlace('--from', chosen.from, settings), settings)
    const repository = await Repository.open(storage, await readSealing(settings))
    const tell = (line: string) => console.log(line)
    const { at } = await restoreBackup({ settings, repository, id: chosen.id, tell })
    console.log(`${settings.SANDGLASS_DATA} has the installation as it was at ${at}. Start the service.
It is a new installation: use another place for its backups, and stop the old one before clients use this one.`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function readArguments() {
  const text = { type: 'string' } as const
  try {
    const options = { from: text, id: text, help: { type: 'boolean', default: false } as const }
    return parseArgs({ options }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
