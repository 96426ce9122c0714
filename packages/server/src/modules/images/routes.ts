import * as protocol from '@sandglass/protocol'
import { ApiError, type Image } from '@sandglass/protocol'
import { appendAudit } from '../../audit/store.ts'
import type { Tx } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { recordOf } from '../../http/change.ts'
import { gone } from '../../placement/gone.ts'
import { endSandbox } from '../../records/end-sandbox.ts'
import { authorOf, lockSandbox } from '../../records/sandboxes.ts'
import { selectPlanOfOrganization } from '../plans/store.ts'
import { requireLocked } from '../sandboxes/lock-sandbox.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import type { PendingSandboxes } from '../sandboxes/pending-sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { DiskSaving } from '../snapshots/saving.ts'
import { serveCreateFromImage } from './create-from-image.ts'
import type { ImageWork } from './image-work.ts'
import { serveImageOperations } from './operator-routes.ts'
import { requireImageQuota, unlimited } from './quota.ts'
import {
  countImages,
  deleteImageRow,
  imageOf,
  insertImage,
  selectImage,
  selectImages,
  selectUsableImage,
} from './store.ts'

export function serveImages(
  api: Api,
  router: SandboxRouter,
  parts: SandboxParts,
  pending: PendingSandboxes,
  work: Pick<ImageWork, 'cancel'>,
): void {
  const { db, shapes, placement, keeper } = parts
  const saving = new DiskSaving(parts)

  api.serve(protocol.listMachineImages, async ({ member, query }) => {
    const { id } = member.organization
    const rows = await selectImages(db, id, query.scope)
    const plan = await selectPlanOfOrganization(db, id)
    const quota = { used: await countImages(db, id), limit: plan?.machineImages ?? unlimited }
    return { images: rows.map(row => imageOf(row, shapes)), quota }
  })

  /** Returns an image as it is now, or as it was created if it was deleted since. */
  const current = async (created: Image): Promise<Image> => {
    const row = await selectImage(db, created.id)
    return row ? imageOf(row, shapes) : created
  }

  api.serve(protocol.createMachineImage, async ({ member, body, request, reply, change, earlier }) => {
    // A repeat gets the image of the first request, even if the sandbox was deleted since.
    const repeated = await earlier<Image>()
    if (repeated) return await current(repeated.answer)
    const sandbox = await router.sandbox(member, body.sandboxId)
    const location = placement.locate(sandbox)
    if (location.at === 'gone') throw gone(location)
    if (location.at === 'node') return placement.peers.forward(request, reply, location.nodeId)
    const machine = await saving.machineOf(sandbox)
    const end = async (tx: Tx) => {
      const ended = body.deleteSandbox ? await lockSandbox(tx, member, sandbox.id) : undefined
      if (!ended) return
      await endSandbox(tx, ended, 'deleted')
      await appendAudit(tx, recordOf(protocol.deleteSandbox, member, request, ended.id, 'done'))
    }
    const { answer, taken } = await saving.save(
      machine,
      change,
      async (tx, insertDisk) => {
        await requireImageQuota(tx, member.organization.id)
        const { id: diskId } = await insertDisk()
        await requireLocked(tx, member, sandbox.id)
        const id = await insertImage(tx, {
          orgId: member.organization.id,
          name: body.name,
          description: body.description ?? null,
          shapeName: machine.shape_name,
          from: { diskId },
          createdBy: authorOf(member),
        })
        const row = await selectImage(tx, id)
        if (!row) throw new ApiError('image.NOT_FOUND')
        return { answer: imageOf(row, shapes), target: id }
      },
      { onReady: end },
    )
    if (body.deleteSandbox) keeper.destroyDoomedSoon()
    return { ...(await current(answer)), ...(taken && { pauseMs: taken.pauseMs }) }
  })

  api.serve(protocol.deleteMachineImage, ({ member, params, change }) =>
    change(async tx => {
      const { id } = member.organization
      if (!(await deleteImageRow(tx, params.imageId, id)))
        throw new ApiError(
          (await selectUsableImage(tx, id, params.imageId)) ? 'image.NOT_OWN' : 'image.NOT_FOUND',
        )
      return { answer: undefined, target: params.imageId, after: () => work.cancel(params.imageId) }
    }),
  )

  serveCreateFromImage(api, parts, pending)
  serveImageOperations(api, db, shapes)
}
