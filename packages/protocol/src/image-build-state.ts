import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** An image that is being made, or was made lately. */
export const ImageBuild = z
  .object({
    image: z.string().describe('The name of the image.'),
    kind: z
      .enum(['build', 'import', 'base'])
      .describe('build and import: asked for by an organization. base: a node builds it for its shapes.'),
    imageId: z.string().nullable().describe('null for a base image.'),
    organizationId: z.string().nullable().describe('null for a base image.'),
    nodeId: z
      .string()
      .nullable()
      .describe('The node that makes it. null once that is over, except for a base image.'),
    state: z.enum(['waiting', 'building', 'ready', 'failed']),
    progress: z
      .object({
        done: z.int().min(0).describe('How many steps are done.'),
        total: z.int().min(0).nullable().describe('null if it is not known how many there are.'),
        text: z.string().nullable().describe('What it is doing.'),
      })
      .nullable()
      .describe('null unless it is building.'),
    startedAt: Time.nullable().describe('null while it is waiting.'),
    endedAt: Time.nullable(),
    reason: z.string().nullable().describe('Why it is waiting or has failed.'),
  })
  .meta({ id: 'ImageBuild' })
export type ImageBuild = z.infer<typeof ImageBuild>

export const listImageBuilds = operation({
  id: 'listImageBuilds',
  tag: 'Operator',
  summary:
    'List the images that are being made on all nodes, for organizations and for shapes, and those that were made in the last week. The last one comes first; at most 200 are listed.',
  method: 'GET',
  path: '/api/operator/image-builds',
  access: { to: 'operator' },
  response: z.array(ImageBuild),
  addition: true,
})
