import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'

const defaultTag = 'default'
const part = /^[A-Za-z0-9][\w.-]*$/

/** The body of a request for a new build. */
export const NewTemplate = z.object({
  name: z.string().min(1).max(100).optional(),
  alias: z.string().min(1).max(100).optional(),
  tags: z.array(z.string().min(1).max(50)).max(20).default([]),
  cpuCount: z.unknown().optional(),
  memoryMB: z.unknown().optional(),
  minFreeDiskMb: z.unknown().optional(),
})
export type NewTemplate = z.output<typeof NewTemplate>

/** Tags that mean the name itself. */
const isDefault = (tag: string) => tag === defaultTag || tag === 'latest'

/** The name of an image by the name of a template, which may end with a tag. */
export function imageNameOf(asked: string): string {
  const [name = '', tag] = asked.split(':', 2)
  return tag === undefined || isDefault(tag) ? name : asked
}

/** Returns the name of the image that a build makes, and its tag. An image has one name, so a build has one tag. */
export function nameOf({ name, alias, tags, ...size }: NewTemplate): { imageName: string; tag: string } {
  for (const [field, value] of Object.entries(size))
    if (value !== undefined && value !== null)
      throw refused(field, 'cannot be chosen: the shape of its base decides the size of a template')
  const asked = name ?? alias
  if (asked === undefined) throw refused('name', 'is missing')
  const [bare = '', ownTag, ...rest] = asked.split(':')
  const all = new Set([...(ownTag === undefined ? [] : [ownTag]), ...tags])
  if (all.size > 1) throw refused('tags', 'has more than one tag, and a build can have one here')
  const [tag = defaultTag] = all
  if (rest.length > 0 || !part.test(bare) || !part.test(tag))
    throw refused(
      'name',
      'must have letters, digits, dots, hyphens and underscores only, and at most one tag',
    )
  return { imageName: imageNameOf(`${bare}:${tag}`), tag }
}

/** Returns the tag of an image as one of a template, or undefined if it is none of that template. */
export function tagOf(imageName: string, template: string): string | undefined {
  if (imageName === template) return defaultTag
  return imageName.startsWith(`${template}:`) ? imageName.slice(template.length + 1) : undefined
}

function refused(field: string, problem: string): ApiError {
  return new ApiError('request.INVALID', {
    message: `${field} ${problem}.`,
    fields: { issues: [{ path: field, message: problem }] },
  })
}
