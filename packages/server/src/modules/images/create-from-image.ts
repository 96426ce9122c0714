import * as protocol from '@sandglass/protocol'
import { ApiError, SandboxFromImage } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { isPlaced, sendCreate } from '../../placement/send-create.ts'
import { sandboxOf } from '../../records/sandboxes.ts'
import { lockReadyDisk } from '../../records/saved-disks.ts'
import type { CreateChoices, StartingDisk, Target } from '../sandboxes/create.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { endOfWait, type PendingSandboxes } from '../sandboxes/pending-sandboxes.ts'
import { nodeOfVolumes } from '../volumes/claim.ts'
import { environmentOf, requireReady, shapeOfImage } from './ready-image.ts'
import { type ImageRow, selectUsableImage } from './store.ts'
import { warmKindOf } from './warm-images.ts'

export function serveCreateFromImage(api: Api, parts: SandboxParts, pending: PendingSandboxes): void {
  const { db, placement, keeper, creation } = parts

  api.serve(protocol.createSandboxFromImage, async call => {
    const { member, body, request, signal, change } = call
    // A repeat gets the response of the first request, even if the image was deleted since.
    const earlier = await call.earlier<SandboxFromImage>()
    if (earlier) return earlier.answer
    const image = requireReady(await selectUsableImage(db, member.organization.id, body.imageId))
    const shape = shapeOfImage(creation.shapeFor(image.shape_name, body, member), image)
    const env = { ...environmentOf(image, keeper.environment), ...body.env }
    const wishes = { ...body, env, screen: body.screen ?? image.spec.screen }
    const warm = warmKindOf(image, shape, body)
    const commit = async (target: Target): Promise<SandboxFromImage> => {
      const answer = await change(async tx => {
        const saved = { lockDisk: () => lockDisk(tx, image), warm }
        const created = await creation.create(tx, member, shape, wishes, target, saved)
        const sandbox = sandboxOf(created.sandbox)
        return {
          answer: { sandbox, bookId: sandbox.id },
          target: sandbox.id,
          after: () => creation.carryOut(created),
        }
      })
      parts.onChange()
      return answer
    }
    // They must be on the node of the image.
    await nodeOfVolumes(db, member, shape, body.volumes, image.node_id)
    const isPlacedHere = isPlaced(placement.peers, request)
    const choices: CreateChoices<SandboxFromImage> = {
      elsewhere: nodeId => sendCreate(placement.peers, call, nodeId, SandboxFromImage),
      isPlaced: isPlacedHere,
    }
    const answer = await creation.placeAt(placement.locate(image), shape, commit, choices, warm)
    if (isPlacedHere || body.wait === 0) return answer
    const sandbox = await pending.settled(member, answer.sandbox, endOfWait(api, body.wait, signal))
    return { ...answer, sandbox }
  })
}

/** The disk is not doomed before the machine's row names it. */
async function lockDisk(tx: Tx, { disk_id: id }: ImageRow): Promise<StartingDisk> {
  const disk = id === null ? undefined : await lockReadyDisk(tx, id)
  if (!disk?.handle) throw new ApiError('image.NOT_FOUND')
  return { id: disk.id, handle: disk.handle }
}
