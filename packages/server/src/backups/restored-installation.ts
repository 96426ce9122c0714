import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { attribute, placementActor } from '../events/actor.ts'
import { alignWithin } from '../events/align.ts'
import { appendEvent } from '../events/append.ts'
import { failInterrupted } from '../modules/applications/store.ts'
import { markNodeLost, markSandboxesLost } from '../placement/loss-store.ts'
import { removeNode } from '../placement/remove.ts'
import { doomAtWork } from '../records/machines.ts'
import { failInterruptedImages } from '../records/made-images.ts'
import { failInterruptedDisks, forgetDisksOfNode } from '../records/saved-disks.ts'
import { closeSpansOfNode } from '../records/usage.ts'
import { forgetVolumesOfNode } from '../records/volumes.ts'
import { version } from '../version.ts'
import type { KeptCopy, Manifest } from './manifest.ts'

/** The identity of an installation that was restored, which is not that of the one that was backed up. */
export interface NewIdentity {
  readonly installation: string
  readonly nodeId: string
}

export const newIdentity = (): NewIdentity => ({ installation: randomUUID(), nodeId: randomUUID() })

/**
 * Makes a database that was restored that of a new installation with one node, so that it never touches what the old one may still
 * have, for example in a cluster. What could not come along is in ERROR with that reason, as after the loss of a node.
 */
export async function becomeNewInstallation(
  tx: Tx,
  { installation, nodeId }: NewIdentity,
  { at }: Pick<Manifest, 'at'>,
  brought: readonly KeptCopy[],
): Promise<void> {
  attribute(tx, placementActor)
  const nodes = await tx.selectFrom('nodes').select(['id', 'last_machine_number']).orderBy('id').execute()
  await sql`UPDATE installation SET id = ${installation}`.execute(tx)
  await alignWithin(tx)
  // Those that were about to be placed would wait for a process that is gone.
  if (nodes[0])
    await sql`UPDATE sandboxes SET node_id = ${nodes[0].id} WHERE node_id IS NULL AND status <> 'ERROR'`.execute(
      tx,
    )
  await enter(tx, nodeId, nodes)
  await bring(tx, nodeId, brought)
  const restored = `This installation was restored from a backup of ${at}`
  for (const { id } of nodes) {
    await markNodeLost(tx, id)
    const sandboxes = await markSandboxesLost(
      tx,
      id,
      `${restored}, in which machines are not contained. Delete the sandbox, and create another one.`,
    )
    await appendEvent(tx, {
      orgId: null,
      type: 'node.lost',
      subject: id,
      data: { sandboxes: sandboxes.length },
      reason: `${restored}.`,
    })
    await closeSpansOfNode(tx, id)
    await failInterrupted(tx, id, `${restored}. Ask for it again.`)
    await failInterruptedDisks(tx, id, `${restored}, which was made while the disk was being saved.`)
    await failInterruptedImages(tx, id, `${restored}, which was made while the image was being made.`)
    await doomAtWork(tx, id)
    await forgetDisksOfNode(tx, id, `${restored}, in which the disk is not contained.`)
    await forgetVolumesOfNode(tx, id, `${restored}, in which the files of the volume are not contained.`)
    await removeNode(tx, id)
  }
}

/** Its disks have numbers that the old nodes gave out, and it must not give them out again. */
async function enter(
  tx: Tx,
  nodeId: string,
  old: readonly { readonly last_machine_number: string }[],
): Promise<void> {
  const last = old.reduce((most, { last_machine_number: number }) => Math.max(most, Number(number)), 0)
  await tx
    .insertInto('nodes')
    .values({
      id: nodeId,
      hostname: hostname(),
      version,
      started_at: sql<Date>`now()`,
      seen_at: sql<Date>`now()`,
      url: null,
    })
    .execute()
  await sql`UPDATE nodes SET last_machine_number = ${last} WHERE id = ${nodeId}`.execute(tx)
}

/** What came along belongs to the new node. */
async function bring(tx: Tx, nodeId: string, brought: readonly KeptCopy[]): Promise<void> {
  const idsOf = (wanted: KeptCopy['kind']) =>
    brought.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  const disks = idsOf('disk')
  const isBrought = sql`id = ANY(${disks}::text[])`
  await sql`UPDATE saved_disks SET node_id = ${nodeId} WHERE state = 'ready' AND ${isBrought}`.execute(tx)
  await sql`UPDATE build_steps SET node_id = ${nodeId} WHERE disk_id = ANY(${disks}::text[])`.execute(tx)
  const isVolume = sql`id = ANY(${idsOf('volume')}::text[])`
  await sql`UPDATE volumes SET node_id = ${nodeId} WHERE state = 'ready' AND ${isVolume}`.execute(tx)
}
