import { imageNameOf } from '@sandglass/doors/e2b'
import { ApiError, type Image, listMachineImages, listShapes } from '@sandglass/protocol'
import type { ControlCall } from './control-call.ts'

/** The names of the templates that every client knows. Both are the default desktop here. */
const defaults: ReadonlySet<string> = new Set(['base', 'desktop'])

/** What a sandbox of a template is created from. */
export type Template =
  | { readonly kind: 'shape'; readonly shapeName: string }
  | { readonly kind: 'image'; readonly image: Image }

/** Finds a template: a shape by its name, or an image by its id or its name. The newest image of a name counts. */
export async function findTemplate(call: ControlCall, asked: string): Promise<Template> {
  const name = imageNameOf(asked)
  const shapes = await desktopShapes(call)
  const named = shapes.find(shape => shape.name === name)
  if (named) return { kind: 'shape', shapeName: named.name }
  const image = newest((await readyImages(call)).filter(one => one.id === name || one.name === name))
  if (image) return { kind: 'image', image }
  const [first] = shapes
  if (defaults.has(name) && first) return { kind: 'shape', shapeName: first.name }
  throw new ApiError('image.NOT_FOUND', {
    message: `There is no template ${JSON.stringify(asked)}: it must be base, the name of a shape, or the name or the id of an image.`,
  })
}

/** The images that sandboxes can be created from. */
export async function readyImages(call: ControlCall): Promise<Image[]> {
  // A trial token can use shapes only.
  if (call.member.kind === 'trialToken') return []
  const { images } = await call.native(listMachineImages, {
    params: { orgId: call.orgId },
    query: { scope: 'all' },
  })
  return images.filter(({ status }) => status === 'READY')
}

/** The shapes with a Linux desktop. The first one is the default. */
export async function desktopShapes(call: ControlCall): Promise<{ readonly name: string }[]> {
  const shapes = await call.native(listShapes, { params: { orgId: call.orgId } })
  return shapes.filter(({ os }) => os === 'Linux')
}

function newest(images: readonly Image[]): Image | undefined {
  return images.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]
}
