import { z } from 'zod'
import { Name } from './text.ts'
import { maxVolumes, overlapOf, volumePathProblem } from './volume-path.ts'

/** Where a new sandbox has a volume. */
export const VolumeChoice = z.object({
  name: Name.describe('The name of the volume.'),
  path: z
    .string()
    .max(255)
    .regex(/^(\/[^/]+)+$/, 'must be an absolute path without a slash at its end')
    .superRefine((path, context) => {
      const problem = volumePathProblem(path)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    })
    .describe('A folder, which is created if it is missing. Not one that the system needs, such as /etc.'),
  readOnly: z
    .boolean()
    .default(false)
    .describe('Whether nothing in the sandbox can change the volume. Several sandboxes can read it at once.'),
})
export type VolumeChoice = z.output<typeof VolumeChoice>

/** The volumes of a new sandbox. */
export const VolumeChoices = z
  .array(VolumeChoice)
  .max(maxVolumes)
  .superRefine((volumes, context) => {
    if (new Set(volumes.map(({ name }) => name)).size < volumes.length)
      context.addIssue({ code: 'custom', message: 'must name each volume once' })
    const overlap = overlapOf(volumes.map(({ path }) => path))
    if (overlap) context.addIssue({ code: 'custom', message: `${overlap[0]} contains ${overlap[1]}` })
  })
