import { randomBytes } from 'node:crypto'
import { MachineError } from '@sandglass/machines/contract'
import * as protocol from '@sandglass/protocol'
import { ApiError, Volume } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { isPlaced, sendCreate } from '../../placement/send-create.ts'
import { authorOf } from '../../records/sandboxes.ts'
import { insertVolume, type VolumeRow } from '../../records/volumes.ts'
import { lockPlanOfOrganization } from '../plans/store.ts'
import { diskFailure, recordFailure } from '../sandboxes/engine-failure.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { serveVolumeOperations } from './operator-routes.ts'
import { placeVolume } from './place-volume.ts'
import { deleteVolume, selectVolumes, sumVolumes, volumesWithUsers } from './store.ts'

/** The Retry-After of a create whose engine does not answer. */
const notReadyRetrySeconds = 15

export function serveVolumes(api: Api, parts: SandboxParts): void {
  const { db, placement, volumes } = parts

  /** Returns a volume as it is now, or as it was created if it was deleted since. */
  const current = async (orgId: string, created: Volume): Promise<Volume> => {
    const row = (await selectVolumes(db, orgId)).find(({ id }) => id === created.id)
    return row ? ((await volumesWithUsers(db, [row]))[0] ?? created) : created
  }

  api.serve(protocol.listVolumes, async ({ member }) =>
    volumesWithUsers(db, await selectVolumes(db, member.organization.id)),
  )

  api.serve(protocol.createVolume, async call => {
    const { member, body, request, change, earlier } = call
    const { id: orgId } = member.organization
    const repeated = await earlier<Volume>()
    if (repeated) return await current(orgId, repeated.answer)
    const createHere = async (engine: string): Promise<Volume> => {
      const begun: { making?: Promise<void> } = {}
      const answer = await change(async tx => {
        await requireQuota(tx, orgId, body.sizeMiB)
        const row = await insertVolume(tx, {
          id: `vol-${randomBytes(8).toString('hex')}`,
          orgId,
          name: body.name,
          sizeMiB: body.sizeMiB,
          nodeId: placement.nodeId,
          engine,
          createdBy: authorOf(member),
        })
        if (!row) throw new ApiError('volume.EXISTS')
        return {
          answer: await volumeOf(tx, row),
          target: row.id,
          after: () => {
            begun.making = volumes.make(row)
          },
        }
      })
      await begun.making?.catch(error => {
        throw createFailure(error)
      })
      return await current(orgId, answer)
    }
    return await placeVolume(parts, createHere, {
      isPlaced: isPlaced(placement.peers, request),
      elsewhere: nodeId => sendCreate(placement.peers, call, nodeId, Volume),
    })
  })

  api.serve(protocol.deleteVolume, async ({ member, params, change }) =>
    change(async tx => {
      await deleteVolume(tx, params.volumeId, member.organization.id)
      return { answer: undefined, target: params.volumeId }
    }),
  )

  serveVolumeOperations(api, db)
}

async function volumeOf(tx: Tx, row: VolumeRow): Promise<Volume> {
  const [volume] = await volumesWithUsers(tx, [row])
  if (!volume) throw new ApiError('volume.NOT_FOUND')
  return volume
}

/** Locks the organization, so that two concurrent creates cannot both use the last of the quota. */
async function requireQuota(tx: Tx, orgId: string, sizeMiB: number): Promise<void> {
  const plan = await lockPlanOfOrganization(tx, orgId)
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const sum = await sumVolumes(tx, orgId)
  if (plan.volumes !== null && sum.count >= plan.volumes)
    throw new ApiError('volume.TOO_MANY', { message: `The plan allows ${plan.volumes} volumes.` })
  if (plan.volumesMiB !== null && sum.sizeMiB + sizeMiB > plan.volumesMiB)
    throw new ApiError('volume.TOO_LARGE', {
      message: `The plan allows volumes of ${plan.volumesMiB} MiB in all, of which ${sum.sizeMiB} MiB are in use.`,
    })
}

function createFailure(cause: unknown): ApiError {
  const known = diskFailure(cause) ?? recordFailure(cause, 'The volume was not created.')
  if (known) return known
  const message = cause instanceof MachineError ? cause.message : 'The volume could not be created.'
  if (cause instanceof MachineError && cause.code === 'UNREACHABLE')
    return new ApiError('machine.NOT_READY', { message, retryAfter: notReadyRetrySeconds, cause })
  return new ApiError('machine.FAILED', { message, cause })
}
