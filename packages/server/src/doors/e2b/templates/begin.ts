import { randomUUID } from 'node:crypto'
import { baseOf, forcedSteps, NewTemplate, nameOf, stepsOf, TemplateBuild } from '@sandglass/doors/e2b'
import { ApiError, buildMachineImage } from '@sandglass/protocol'
import { z } from 'zod'
import { authorize } from '../../../auth/authorize.ts'
import { AnsweredElsewhere } from '../../../http/api.ts'
import { parseInput } from '../../../http/input.ts'
import { archivePath } from '../../../modules/images/builds/work-step.ts'
import { selectImage } from '../../../modules/images/store.ts'
import type { ControlCall } from '../control/control-call.ts'
import { desktopShapes, findTemplate } from '../control/templates.ts'
import type { DoorParts } from '../door-parts.ts'

/**
 * Answers a request for a new build, of which nothing is kept: the id of the template is the name of its image, and the id of the
 * build will be the id of the image.
 */
export async function requestBuild(call: ControlCall) {
  requireBuilder(call)
  const asked = parseInput(NewTemplate, call.request.body ?? {}, 'body')
  const { imageName, tag } = nameOf(asked)
  if ((await desktopShapes(call)).some(({ name }) => name === imageName))
    throw new ApiError('request.INVALID', { message: `The name ${imageName} is that of a shape.` })
  return {
    templateID: imageName,
    buildID: randomUUID(),
    names: [imageName],
    aliases: [imageName],
    tags: [tag],
    public: false,
  }
}

/** Begins a build, which goes on when the client disconnects. A repeat of the request changes nothing. */
export async function beginBuild({ api, imageBuilds, pool }: DoorParts, call: ControlCall): Promise<void> {
  requireBuilder(call)
  const { request, reply, member } = call
  const imageId = buildIdIn(call)
  const asked = parseInput(TemplateBuild, request.body ?? {}, 'body')
  const steps = stepsOf(asked.steps, archivePath)
  const { imageName: name } = nameOf({ name: call.id, tags: [] })
  const template = await findTemplate(call, baseOf(asked))
  const existing = await selectImage(pool.db, imageId)
  if (existing && existing.org_id === call.orgId) return
  if (existing) throw new ApiError('image.NOT_FOUND')
  const forwarded = await imageBuilds.beginInBackground({
    member,
    request,
    reply,
    change: work => api.change(buildMachineImage, request, work),
    from: template.kind === 'shape' ? { shapeName: template.shapeName } : { imageId: template.image.id },
    steps,
    forced: forcedSteps(asked),
    name,
    imageId,
  })
  if (forwarded) throw new AnsweredElsewhere()
}

/** Throws unless the caller may build images. */
export function requireBuilder({ member, orgId }: ControlCall): void {
  authorize(buildMachineImage.access, member, orgId)
}

const BuildId = z.uuid()

export function buildIdIn({ request }: ControlCall): string {
  const { buildId } = request.params as { readonly buildId?: string }
  const { success, data } = BuildId.safeParse(buildId)
  if (!success) throw new ApiError('image.NOT_FOUND', { message: 'There is no such build.' })
  return data
}
