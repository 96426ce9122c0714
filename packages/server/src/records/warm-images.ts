import type { Tx } from '../db/database.ts'
import { lockReadyDisk, type SavedDiskRow } from './saved-disks.ts'

/** An image of which machines are kept ready. */
export interface WarmImage {
  readonly warm: number
  readonly disk: SavedDiskRow
}

/**
 * Returns how many machines of an image are to be kept ready, and its disk. Neither is changed or deleted until the transaction ends,
 * so a machine whose row it inserts is found when the image is deleted. Returns undefined if the image is gone or not READY.
 */
export async function lockWarmImage(tx: Tx, id: string): Promise<WarmImage | undefined> {
  // The image is locked before its disk. Deleting an image locks them in this order too.
  const image = await tx
    .selectFrom('machine_images')
    .select(['warm', 'disk_id'])
    .where('id', '=', id)
    .where('status', '=', 'READY')
    .forShare()
    .executeTakeFirst()
  const disk = image && image.disk_id !== null ? await lockReadyDisk(tx, image.disk_id) : undefined
  return image && disk && { warm: image.warm, disk }
}
