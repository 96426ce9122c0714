import type { KeptReader } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { backupsActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'
import { type Engines, engineOf } from '../machines/engines.ts'
import { ownerAddress } from '../service-database.ts'
import type { Settings } from '../settings.ts'
import { unencrypted } from './backup-key.ts'
import { createBackup, installationOf } from './create-backup.ts'
import { readDataFiles } from './data-files.ts'
import { openConnection } from './database/one-connection.ts'
import { BackupBusyError, Repository } from './repository.ts'
import { openBackupStorage } from './storage/open-storage.ts'

const hourMs = 3_600_000
/** After a failure, the next attempt comes no later than this, so that a short outage does not cost a backup. */
const maxRetryMs = hourMs / 4

export interface BackupScheduleParts {
  readonly settings: Settings
  readonly db: Database
  /** What they keep is in the backups too, if the settings say so. */
  readonly engines: Engines
  readonly nodeId: string
  /** The time of the database, which the ids of backups have. */
  readonly now: () => number
  readonly registry: Registry
  readonly log: Logger
}

/**
 * Makes a backup when the newest one in the storage is old enough, whoever has made that, and keeps as many as the settings
 * say. A failure is an event of the node and counted in the metrics.
 */
export class BackupSchedule {
  readonly #parts: BackupScheduleParts
  readonly #failures: Counter
  readonly #newest: Gauge
  #retryAt = 0

  constructor(parts: BackupScheduleParts) {
    this.#parts = parts
    const { registry } = parts
    this.#failures = new Counter({
      name: 'sandglass_backup_failures_total',
      help: 'Scheduled backups that have failed since the start of this process.',
      registers: [registry],
    })
    this.#newest = new Gauge({
      name: 'sandglass_backup_newest_timestamp_seconds',
      help: 'When the newest backup in the storage was made; 0 if there is none or the storage cannot be read.',
      registers: [registry],
    })
  }

  /** Makes a backup if one is due. Call this often. What is begun is given up when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings, now, log } = this.#parts
    const { SANDGLASS_BACKUP_HOURS: hours } = settings
    if (hours === undefined || now() < this.#retryAt) return
    try {
      const newest = await this.#newestAt()
      this.#newest.set(newest / 1000)
      const dueAt = newest + hours * hourMs
      if (now() < dueAt || (await this.#isOpening())) return
      const { manifest } = await this.#create(signal)
      this.#newest.set(Date.parse(manifest.at) / 1000)
      log.info({ backup: manifest.id }, 'a backup was made')
    } catch (error) {
      if (error instanceof BackupBusyError || signal.aborted) return
      this.#retryAt = now() + Math.min(maxRetryMs, hours * hourMs)
      this.#failures.inc()
      log.error({ error }, 'the scheduled backup has failed')
      const reason = error instanceof Error ? error.message : String(error)
      const { db, nodeId } = this.#parts
      await noteFailedBackup(db, nodeId, reason)
    }
  }

  async #open() {
    const { settings } = this.#parts
    const place = settings.SANDGLASS_BACKUP_TO
    if (!place) throw new Error('SANDGLASS_BACKUP_HOURS requires SANDGLASS_BACKUP_TO.')
    return {
      storage: openBackupStorage(place, settings),
      sealing: settings.SANDGLASS_BACKUP_KEY ?? unencrypted,
    }
  }

  /** Whether an engine is being opened, of which a backup would miss what it keeps. */
  async #isOpening(): Promise<boolean> {
    const { engines, settings } = this.#parts
    if (settings.SANDGLASS_BACKUP_INCLUDE.length === 0) return false
    const health = await Promise.all(engines.names.map(name => engines.health(name)))
    return health.some(one => !one.ready && one.isOpening === true)
  }

  #readers(): Map<string, KeptReader> {
    const { engines } = this.#parts
    const readers = new Map<string, KeptReader>()
    for (const name of engines.names) {
      const { kept } = engineOf(engines, name)
      if (kept) readers.set(name, kept)
    }
    return readers
  }

  async #newestAt(): Promise<number> {
    const { storage, sealing } = await this.#open()
    await using connection = await openConnection(ownerAddress(this.#parts.settings))
    const installation = await installationOf(connection.client)
    const repository = await Repository.openFor(storage, sealing, installation)
    const id = (await repository.ids()).at(-1)
    return id === undefined ? 0 : Date.parse((await repository.manifest(id)).at)
  }

  async #create(signal: AbortSignal) {
    const { settings, nodeId, log } = this.#parts
    const include = new Set(settings.SANDGLASS_BACKUP_INCLUDE)
    const tell = (line: string) => log.info(line)
    return await createBackup({
      ...(await this.#open()),
      address: ownerAddress(settings),
      nodeId,
      files: await readDataFiles(settings),
      ...(include.size > 0 && { kept: { include, readers: this.#readers(), tell, signal } }),
      keep: settings.SANDGLASS_BACKUP_KEEP,
    })
  }
}

export async function noteFailedBackup(db: Database, nodeId: string, reason: string): Promise<void> {
  await transact(db, tx =>
    appendEvent(tx, {
      orgId: null,
      type: 'backup.failed',
      subject: nodeId,
      data: {},
      reason,
      actor: backupsActor,
    }),
  )
}
