import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export const storageKinds = ['image', 'snapshot', 'build-step', 'volume', 'temporary'] as const

/** temporary: a saved disk that nothing but a machine which is being created needs, or that is being removed. */
export type StorageKind = (typeof storageKinds)[number]

export interface StorageTotal {
  readonly kind: StorageKind
  readonly count: number
  readonly sizeMiB: number
}

/** Counts the saved disks and volumes of a node. A disk that is both an image's and a build step's counts as the image's. */
export async function selectStorageTotals(db: Database, nodeId: string): Promise<StorageTotal[]> {
  const { rows } = await sql<{ kind: StorageKind; count: string; size: string }>`
    SELECT CASE
        WHEN EXISTS (SELECT FROM machine_images WHERE disk_id = disk.id) THEN 'image'
        WHEN EXISTS (SELECT FROM sandbox_snapshots WHERE disk_id = disk.id) THEN 'snapshot'
        WHEN EXISTS (SELECT FROM build_steps WHERE disk_id = disk.id) THEN 'build-step'
        ELSE 'temporary'
      END AS kind, count(*), coalesce(sum(size_mib), 0) AS size
      FROM saved_disks AS disk WHERE node_id = ${nodeId} GROUP BY 1
    UNION ALL
    SELECT 'volume', count(*), coalesce(sum(size_mib), 0) FROM volumes WHERE node_id = ${nodeId}`.execute(db)
  return rows.map(({ kind, count, size }) => ({ kind, count: Number(count), sizeMiB: Number(size) }))
}
