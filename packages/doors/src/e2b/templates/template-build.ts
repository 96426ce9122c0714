import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'

/** Our own image that stands for the one that clients start from by default. */
const defaultImage = /^e2bdev\/base(:.*)?$/

const TemplateStep = z.object({
  type: z.string().max(20),
  args: z.array(z.string().max(30_000)).max(400).default([]),
  filesHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  force: z.boolean().default(false),
})
export type TemplateStep = z.output<typeof TemplateStep>

/** The body of a request that starts a build. */
export const TemplateBuild = z.object({
  fromImage: z.string().max(500).optional(),
  fromTemplate: z.string().max(200).optional(),
  fromImageRegistry: z.unknown().optional(),
  startCmd: z.string().max(30_000).optional(),
  readyCmd: z.string().max(30_000).optional(),
  force: z.boolean().default(false),
  steps: z.array(TemplateStep).max(100).default([]),
})
export type TemplateBuild = z.output<typeof TemplateBuild>

/** Returns the name of the template that a build starts from, and refuses what a build cannot do here. */
export function baseOf({ fromImage, fromTemplate, fromImageRegistry, ...rest }: TemplateBuild): string {
  if (rest.startCmd || rest.readyCmd)
    throw refused(
      'A start command is not supported here: a template is a disk, on which no program runs. Start it with commands.run.',
    )
  if (fromImageRegistry !== undefined && fromImageRegistry !== null) throw refused(noRegistry)
  if (fromTemplate) return fromTemplate
  if (!fromImage) throw refused('One of fromImage and fromTemplate is required.')
  if (defaultImage.test(fromImage)) return 'base'
  if (/[:/]/.test(fromImage)) throw refused(`${JSON.stringify(fromImage)} cannot be used: ${noRegistry}`)
  return fromImage
}

/** The steps whose earlier results are not used. After the first of them there are no others. */
export function forcedSteps({ force, steps }: TemplateBuild): ReadonlySet<number> {
  const first = force ? 0 : steps.findIndex(step => step.force)
  return new Set(first < 0 ? [] : [first])
}

const noRegistry =
  'Images of registries are not fetched here. Use fromTemplate with base, the name of a shape, or the name of an image.'

function refused(message: string): ApiError {
  return new ApiError('request.INVALID', { message })
}
