import type { VolumeMount } from '@sandglass/machines/contract'
import { ApiError, type VolumeChoice } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import { isOnNode } from '../../placement/is-on-node.ts'
import { selectMounts } from '../../records/volume-mounts.ts'
import type { VolumeRow } from '../../records/volumes.ts'
import type { CatalogueShape } from '../shapes/catalogue.ts'
import { lockVolumes, selectVolumes } from './store.ts'

/**
 * Returns the node that has the volumes of a new sandbox, and undefined if it has no volumes. `other` is the node on which the
 * sandbox has to be for another reason.
 */
export async function nodeOfVolumes(
  db: Database,
  member: Actor,
  { engine }: Pick<CatalogueShape, 'engine'>,
  choices: readonly VolumeChoice[],
  other?: string | null,
): Promise<Pick<VolumeRow, 'node_id'> | undefined> {
  if (choices.length === 0) return undefined
  const names = choices.map(({ name }) => name)
  const found = requireUsable(member, engine, choices, await selectVolumes(db, member.organization.id, names))
  const nodes = new Set(found.map(({ volume }) => volume.node_id))
  if (other !== undefined) nodes.add(other)
  const [node = null, ...others] = nodes
  if (others.length > 0) throw new ApiError('volume.ELSEWHERE')
  return { node_id: node }
}

/**
 * Locks the volumes of a new sandbox and returns where its machine has them. Throws if another sandbox has one of them in a way
 * that excludes this one. Machines of sandboxes that have ended do not count: the new machine waits until they are destroyed.
 */
export async function claimVolumes(
  tx: Tx,
  member: Actor,
  { engine }: Pick<CatalogueShape, 'engine'>,
  nodeId: string,
  choices: readonly VolumeChoice[],
): Promise<VolumeMount[]> {
  if (choices.length === 0) return []
  const names = choices.map(({ name }) => name)
  const found = requireUsable(member, engine, choices, await lockVolumes(tx, member.organization.id, names))
  for (const { volume, choice } of found) {
    if (!isOnNode(volume, nodeId)) throw new ApiError('volume.ELSEWHERE')
    const users = await selectMounts(tx, volume.id)
    const isFree = choice.readOnly ? users.every(user => user.read_only) : users.length === 0
    if (!isFree)
      throw new ApiError('volume.IN_USE', {
        message: choice.readOnly
          ? `Another sandbox can write to the volume ${volume.name}.`
          : `Another sandbox has the volume ${volume.name}.`,
      })
  }
  return found.map(({ volume, choice: { path, readOnly } }) => ({
    id: volume.id,
    path,
    ...(readOnly && { readOnly }),
  }))
}

function requireUsable(
  { kind }: Actor,
  engine: string,
  choices: readonly VolumeChoice[],
  rows: readonly VolumeRow[],
): { readonly volume: VolumeRow; readonly choice: VolumeChoice }[] {
  return choices.map(choice => {
    // A trial session sees nothing that it has not created itself.
    const volume = kind === 'trialToken' ? undefined : rows.find(({ name }) => name === choice.name)
    if (!volume)
      throw new ApiError('volume.NOT_FOUND', { message: `There is no volume with the name ${choice.name}.` })
    if (volume.state !== 'ready')
      throw new ApiError('volume.NOT_READY', {
        message: volume.reason ?? `The volume ${volume.name} is still being created.`,
      })
    if (volume.engine !== engine) throw new ApiError('volume.UNSUPPORTED')
    return { volume, choice }
  })
}
