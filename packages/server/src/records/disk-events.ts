import type { Tx } from '../db/database.ts'
import { appendEvent } from '../events/append.ts'

interface OwnedImage {
  readonly id: string
  readonly org_id: string
}

interface OwnedSnapshot extends OwnedImage {
  readonly sandbox_id: string
}

/** Appends the same event for each of these images. */
export async function appendImageEvents(
  tx: Tx,
  type: 'image.ready' | 'image.failed' | 'image.deleted',
  images: readonly OwnedImage[],
  reason?: string,
): Promise<void> {
  for (const { id, org_id: orgId } of images)
    await appendEvent(tx, { orgId, type, subject: id, data: {}, reason: reason || null })
}

/** Appends the same event for each of these snapshots. */
export async function appendSnapshotEvents(
  tx: Tx,
  type: 'snapshot.ready' | 'snapshot.failed' | 'snapshot.deleted',
  snapshots: readonly OwnedSnapshot[],
  reason?: string,
): Promise<void> {
  for (const { id, org_id: orgId, sandbox_id: subject } of snapshots)
    await appendEvent(tx, { orgId, type, subject, data: { snapshotId: id }, reason: reason || null })
}
