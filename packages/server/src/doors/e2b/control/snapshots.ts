import * as protocol from '@sandglass/protocol'
import { ApiError, type Image } from '@sandglass/protocol'
import { z } from 'zod'
import { parseInput } from '../../../http/input.ts'
import type { ControlCall } from './control-call.ts'
import { readyImages } from './templates.ts'

const NewSnapshot = z.object({ name: z.string().max(100).optional() })

const SnapshotQuery = z.object({
  sandboxID: z.string().optional(),
  name: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(100),
  nextToken: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .default(0),
})

/** The description of the images that are snapshots of a sandbox, by which they are found again. */
const describes = (sandboxId: string) => `A snapshot of the sandbox ${sandboxId}`

/**
 * Saves the disk of a sandbox. A client's snapshot outlives its sandbox and is a template at the same time, so it is a machine
 * image here.
 */
export async function createSnapshot(call: ControlCall) {
  const { name } = parseInput(NewSnapshot, call.request.body ?? {}, 'body')
  const image = await call.native(protocol.createMachineImage, {
    params: { orgId: call.orgId },
    body: { sandboxId: call.id, name: name ?? `snapshot-${call.id}`, description: describes(call.id) },
  })
  if (image.status !== 'READY')
    throw new ApiError('machine.FAILED', { message: image.reason ?? 'The disk could not be saved.' })
  return snapshotView(image)
}

/** Lists the images that can be used as templates, or those of one sandbox. */
export async function listSnapshots(call: ControlCall) {
  const { sandboxID, name, limit, nextToken } = parseInput(SnapshotQuery, call.request.query, 'query')
  const images = (await readyImages(call)).filter(
    image =>
      (sandboxID === undefined || image.description === describes(sandboxID)) &&
      (name === undefined || image.name === name),
  )
  const end = nextToken + limit
  if (end < images.length) call.reply.header('x-next-token', String(end))
  return images.slice(nextToken, end).map(snapshotView)
}

/** Deletes a template, which only an image can be. */
export async function deleteTemplate(call: ControlCall): Promise<void> {
  await call.native(protocol.deleteMachineImage, { params: { orgId: call.orgId, imageId: call.id } })
}

function snapshotView({ id, name }: Image) {
  return { snapshotID: id, names: [name] }
}
