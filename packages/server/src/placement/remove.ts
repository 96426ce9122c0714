import { ApiError } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../events/append.ts'
import { forgetDisksOfNode } from '../records/saved-disks.ts'
import { forgetVolumesOfNode } from '../records/volumes.ts'

/**
 * Removes a node that is lost, or that is drained and empty; for any other node it throws a 409 with the reason. Sandboxes of a lost
 * node stay in ERROR without a machine, its images without a disk, and its volumes without files, so that their owners can still see the reason and delete them.
 * Its last machine number is kept, because what it left in a cluster is removed by the other nodes.
 */
export async function removeNode(tx: Tx, id: string): Promise<void> {
  const node = await tx
    .selectFrom('nodes')
    .select(['lost_at', 'draining_since', 'last_machine_number'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!node) throw new ApiError('node.NOT_FOUND')
  if (node.lost_at === null) {
    if (node.draining_since === null)
      throw new ApiError('node.IN_USE', { message: 'The node is alive and takes new sandboxes.' })
    await requireEmpty(tx, id)
  }
  await tx
    .updateTable('sandboxes')
    .set({ node_id: null, before_loss: null })
    .where('node_id', '=', id)
    .execute()
  await tx.deleteFrom('machines').where('node_id', '=', id).execute()
  await forgetDisksOfNode(tx, id, 'The node that had the disk was removed.')
  await forgetVolumesOfNode(tx, id, 'The node that had the volume was removed.')
  await tx.deleteFrom('nodes').where('id', '=', id).execute()
  await tx
    .insertInto('removed_nodes')
    .values({ id, last_machine_number: node.last_machine_number })
    // If it was removed before and registered again, its numbers began anew.
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet({
        last_machine_number: sql<string>`greatest(removed_nodes.last_machine_number, excluded.last_machine_number)`,
      }),
    )
    .execute()
  await appendEvent(tx, { orgId: null, type: 'node.removed', subject: id, data: {} })
}

async function requireEmpty(tx: Tx, id: string): Promise<void> {
  const sandboxes = await countOf(tx, 'sandboxes', id)
  if (sandboxes > 0)
    throw new ApiError('node.IN_USE', {
      message: `The node is drained, but ${sandboxes === 1 ? 'a sandbox is' : `${sandboxes} sandboxes are`} still on it.`,
    })
  const disks = await countOf(tx, 'saved_disks', id)
  if (disks > 0)
    throw new ApiError('node.IN_USE', {
      message: `The node is drained, but still has ${disks === 1 ? 'the disk of an image' : `${disks} disks of images`}. listAllMachineImages shows them, and removeMachineImage deletes one.`,
    })
  const volumes = await countOf(tx, 'volumes', id)
  if (volumes > 0)
    throw new ApiError('node.IN_USE', {
      message: `The node is drained, but still has ${volumes === 1 ? 'a volume' : `${volumes} volumes`}, which would be lost. listAllVolumes shows them, and removeVolume deletes one.`,
    })
  if ((await countOf(tx, 'machines', id)) > 0)
    throw new ApiError('node.IN_USE', {
      message: 'The node is drained, but still destroys machines.',
    })
}

async function countOf(
  tx: Tx,
  table: 'sandboxes' | 'machines' | 'saved_disks' | 'volumes',
  nodeId: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
