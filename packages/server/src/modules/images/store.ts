import { randomUUID } from 'node:crypto'
import type { Image, OperatorImage } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/append.ts'
import { appendImageEvents } from '../../records/disk-events.ts'
import type { Catalogue } from '../shapes/catalogue.ts'

export type ImageRow = NonNullable<Awaited<ReturnType<typeof selectImage>>>

export interface NewImage {
  /** A new one if it is undefined. */
  readonly id?: string
  readonly orgId: string
  readonly name: string
  readonly description: string | null
  readonly shapeName: string
  /** Its disk, or the node that makes an image which has none yet. */
  readonly from: { readonly diskId: string } | MadeFrom
  readonly createdBy: string
}

/** How an image is made that has no disk yet. */
interface MadeFrom {
  readonly madeByNode: string
  readonly kind: 'build' | 'import'
  /** The number of steps, if it is known. */
  readonly steps?: number
}

export async function insertImage(tx: Tx, image: NewImage): Promise<string> {
  const { id = randomUUID() } = image
  await tx
    .insertInto('machine_images')
    .values({
      id,
      org_id: image.orgId,
      name: image.name,
      description: image.description,
      shape_name: image.shapeName,
      ...('diskId' in image.from ? { disk_id: image.from.diskId } : { made_by_node: image.from.madeByNode }),
      created_by: image.createdBy,
    })
    .execute()
  if ('kind' in image.from)
    await tx
      .insertInto('image_builds')
      .values({
        image_id: id,
        kind: image.from.kind,
        node_id: image.from.madeByNode,
        steps_total: image.from.steps ?? null,
      })
      .execute()
  await appendEvent(tx, {
    orgId: image.orgId,
    type: 'image.created',
    subject: id,
    data: { name: image.name, shapeName: image.shapeName },
  })
  return id
}

/** Returns an image of any organization. */
export async function selectImage(db: Database | Tx, id: string) {
  return images(db).where('image.id', '=', id).executeTakeFirst()
}

/** Returns an image that an organization can use: one of its own, or one that is shared with everybody. */
export async function selectUsableImage(
  db: Database | Tx,
  orgId: string,
  id: string,
): Promise<ImageRow | undefined> {
  const image = await selectImage(db, id)
  return image && (image.org_id === orgId || image.scope === 'PUBLIC') ? image : undefined
}

export async function selectImages(
  db: Database,
  orgId: string,
  scope: 'org' | 'public' | 'all',
): Promise<ImageRow[]> {
  return images(db)
    .where(({ or, eb }) =>
      or([
        ...(scope === 'public' ? [] : [eb('image.org_id', '=', orgId)]),
        ...(scope === 'org' ? [] : [eb('image.scope', '=', 'PUBLIC').and('image.status', '=', 'READY')]),
      ]),
    )
    .orderBy('image.created_at')
    .orderBy('image.id')
    .execute()
}

/** Returns the images that are READY and of which a node keeps machines ready, because it has their disks. */
export async function selectWarmImages(db: Database, nodeId: string): Promise<ImageRow[]> {
  return images(db)
    .where('disk.node_id', '=', nodeId)
    .where('disk.state', '=', 'ready')
    .where('image.status', '=', 'READY')
    .where('image.warm', '>', 0)
    .orderBy('image.created_at')
    .orderBy('image.id')
    .execute()
}

/** Returns the images of all organizations as operators see them, or only the one with this id. */
export async function selectOperatorImages(
  db: Database | Tx,
  shapes: Catalogue,
  id?: string,
): Promise<OperatorImage[]> {
  let query = images(db).select(({ selectFrom }) =>
    selectFrom('machines')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .whereRef('machines.image_id', '=', 'image.id')
      .where('machines.state', '=', 'ready')
      .as('ready'),
  )
  if (id !== undefined) query = query.where('image.id', '=', id)
  const rows = await query.orderBy('image.created_at').orderBy('image.id').execute()
  return rows.map(row => ({
    ...imageOf(row, shapes),
    organizationId: row.org_id,
    nodeId: row.node_id,
    warm: row.warm,
    ready: Number(row.ready),
  }))
}

function images(db: Database | Tx) {
  return db
    .selectFrom('machine_images as image')
    .leftJoin('saved_disks as disk', 'disk.id', 'image.disk_id')
    .selectAll('image')
    .select(['disk.size_mib', 'disk.node_id', 'disk.engine', 'disk.spec'])
}

/** Returns those of some images that were deleted. */
export async function selectDeleted(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('machine_images').select('id').where('id', 'in', ids).execute()
  const existing = new Set(rows.map(({ id }) => id))
  return ids.filter(id => !existing.has(id))
}

/** Counts the images of an organization, except for those in ERROR. */
export async function countImages(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('machine_images')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .where('status', '!=', 'ERROR')
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function setScope(tx: Tx, id: string, scope: Image['scope']): Promise<void> {
  await tx.updateTable('machine_images').set({ scope }).where('id', '=', id).execute()
}

/** Sets how many machines of an image are kept ready. The database notifies the node that has its disk. */
export async function setWarm(tx: Tx, id: string, warm: number): Promise<void> {
  await tx.updateTable('machine_images').set({ warm }).where('id', '=', id).execute()
}

/** Deletes an image, of one organization if it is given. The database dooms its disk. Returns false if there is none. */
export async function deleteImageRow(tx: Tx, id: string, orgId?: string): Promise<boolean> {
  let query = tx.deleteFrom('machine_images').where('id', '=', id)
  if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  const deleted = await query.returning(['id', 'org_id']).execute()
  await appendImageEvents(tx, 'image.deleted', deleted)
  return deleted.length > 0
}

export function imageOf(row: ImageRow, shapes: Catalogue): Image {
  const flag = shapes.find(row.shape_name)?.requiredFeatureFlag ?? ''
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    createdAt: row.created_at.toISOString(),
    shapeName: row.shape_name,
    requiredFeatureFlag: flag === '' ? null : flag,
    scope: row.scope,
    status: row.status,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.status === 'READY' && row.size_mib !== null && { sizeMiB: row.size_mib }),
  }
}
