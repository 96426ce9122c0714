import { parseArgs } from 'node:util'
import { runAsRoot } from './as-root.ts'
import { unencrypted } from './backups/backup-key.ts'
import { backupCommandPlace } from './backups/command-place.ts'
import { Repository } from './backups/repository.ts'
import { restoreBackup } from './backups/restore-backup.ts'
import { openBackupStorage } from './backups/storage/open-storage.ts'
import type { EngineSetup } from './engines/engine-definition.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { readSettings, type Settings } from './settings.ts'

const usage = `npm run restore                     restores the newest backup in SANDGLASS_BACKUP_TO into SANDGLASS_DATA, which is empty
npm run restore -- --from <place>   uses another folder, or s3://bucket/prefix
npm run restore -- --id <id>        restores this backup; npm run backup -- --list lists them
See docs/backup.md.`

/** `npm run restore`. */
try {
  const chosen = readArguments()
  if (chosen.help) console.log(usage)
  else {
    const env = readEnvironment(process.env)
    const settings = readSettings(env)
    const engines = setUpEngines(env, settings)
    const args = process.argv.slice(2)
    const needsRoot = engines.some(engine => engine.needsRoot && engine.disabled === undefined)
    const command = ['npm run restore --', ...args].join(' ')
    const code = needsRoot ? await runAsRoot({ file: import.meta.filename, args, command }) : undefined
    if (code !== undefined) process.exitCode = code
    else await work(settings, engines, chosen)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function work(
  settings: Settings,
  engines: readonly EngineSetup[],
  chosen: ReturnType<typeof readArguments>,
): Promise<void> {
  const storage = openBackupStorage(backupCommandPlace('--from', chosen.from, settings), settings)
  const repository = await Repository.open(storage, settings.SANDGLASS_BACKUP_KEY ?? unencrypted)
  const tell = (line: string) => console.log(line)
  const { at } = await restoreBackup({
    settings,
    repository,
    id: chosen.id,
    openTransfer: async name => {
      const engine = engines.find(one => one.name === name)
      return engine?.disabled === undefined ? await engine?.openTransfer?.({ isNew: true, tell }) : undefined
    },
    tell,
  })
  console.log(`${settings.SANDGLASS_DATA} has the installation as it was at ${at}. Start the service.
It is a new installation: use another place for its backups, and stop the old one before clients use this one.`)
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
