import type { DiskSpace } from '@sandglass/machines/contract'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { Engines } from '../machines/engines.ts'
import { type StorageTotal, selectStorageTotals, storageKinds } from '../records/storage-totals.ts'
import { sharedRead } from './shared-read.ts'

const MiB = 1024 * 1024

export interface StorageMetricsParts {
  readonly db: Database
  readonly nodeId: string
  readonly engines: Engines
  readonly registry: Registry
}

/**
 * Reports what is saved on this node, and the space where its engines keep disks. What cannot be read, because the database or
 * an engine is down, is left out, so that the other metrics can still be read.
 */
export function reportStorage({ db, nodeId, engines, registry }: StorageMetricsParts): void {
  const totals = sharedRead(() => selectStorageTotals(db, nodeId))
  const byKind = (name: string, help: string, read: (total: StorageTotal) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'] as const,
      registers: [registry],
      async collect() {
        this.reset()
        const found = await totals().catch(() => undefined)
        if (!found) return
        for (const kind of storageKinds) {
          const total = found.find(one => one.kind === kind)
          this.set({ kind }, total ? read(total) : 0)
        }
      },
    })
  byKind(
    'sandglass_saved',
    'Saved disks and volumes of this node, by what they are: image, snapshot, build-step, volume, or temporary.',
    ({ count }) => count,
  )
  byKind(
    'sandglass_saved_bytes',
    'What saved disks occupied by themselves when they were saved, and the sizes of volumes, by what they are.',
    ({ sizeMiB }) => sizeMiB * MiB,
  )

  const spaces = sharedRead(() => spacesOf(engines))
  const ofEngines = (name: string, help: string, read: (space: DiskSpace) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['engine'] as const,
      registers: [registry],
      async collect() {
        this.reset()
        for (const [engine, space] of await spaces()) this.set({ engine }, read(space))
      },
    })
  ofEngines(
    'sandglass_engine_disk_free_bytes',
    'Free space where an engine keeps the disks of machines, saved disks and volumes.',
    ({ freeBytes }) => freeBytes,
  )
  ofEngines(
    'sandglass_engine_disk_bytes',
    'The size of the file system where an engine keeps the disks of machines, saved disks and volumes.',
    ({ totalBytes }) => totalBytes,
  )
}

async function spacesOf(engines: Engines): Promise<Map<string, DiskSpace>> {
  const spaces = new Map<string, DiskSpace>()
  for (const name of engines.names) {
    const space = await engines
      .get(name)
      ?.diskSpace?.()
      .catch(() => undefined)
    if (space) spaces.set(name, space)
  }
  return spaces
}
