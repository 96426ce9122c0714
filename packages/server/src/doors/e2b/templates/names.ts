import { imageNameOf, tagOf } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import type { ControlCall } from '../control/control-call.ts'
import { findTemplate, readyImages } from '../control/templates.ts'

/** Describes the template that a name means, if there is one. */
export async function aliasOf(call: ControlCall) {
  const template = await findTemplate(call, call.id)
  return {
    templateID: imageNameOf(call.id),
    public: template.kind === 'shape' || template.image.scope === 'PUBLIC',
  }
}

/** Lists the tags of a template: the images whose names are its own, or its own with a tag. The newest of a name counts. */
export async function listTags(call: ControlCall) {
  const tags = new Map<string, { tag: string; buildID: string; createdAt: string }>()
  const images = await readyImages(call)
  for (const image of images.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))) {
    const tag = tagOf(image.name, imageNameOf(call.id))
    if (tag !== undefined) tags.set(tag, { tag, buildID: image.id, createdAt: image.createdAt })
  }
  if (tags.size === 0)
    throw new ApiError('image.NOT_FOUND', { message: `No image has the name ${JSON.stringify(call.id)}.` })
  return [...tags.values()]
}

/** Refuses to change tags: an image has one name, which its build gave it. */
export function refuseTags(): never {
  throw new ApiError('request.INVALID', {
    message:
      'Tags cannot be changed here: a tag is a part of the name of an image. Build it with the tag in its name.',
  })
}
