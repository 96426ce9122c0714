import { z } from 'zod'
import { Image } from './image.ts'
import { operation } from './operation.ts'
import { Description, Name } from './text.ts'

const images = '/api/orgs/{orgId}/machine-images'
const access = { to: 'organization', role: 'member' } as const

const machineErrors = [
  'shape.NOT_FOUND',
  'shape.PLAN_TOO_LOW',
  'sandbox.TOO_MANY',
  'snapshot.UNSUPPORTED',
  'machine.NO_CAPACITY',
  'machine.NOT_READY',
  'machine.FAILED',
  'node.DISK_FULL',
  'node.GONE',
] as const

export const exportMachineImage = operation({
  id: 'exportMachineImage',
  tag: 'Machine images',
  summary: 'Download an image as one file: a tar archive with an OCI image layout.',
  method: 'GET',
  path: `${images}/{imageId}/export`,
  access,
  addition: true,
  long: true,
  answers: 'bytes',
  errors: [
    'image.NOT_FOUND',
    'image.NOT_READY',
    'image.UNREADABLE',
    'image.TOO_MANY_FILES',
    ...machineErrors,
  ],
})

export const importMachineImage = operation({
  id: 'importMachineImage',
  tag: 'Machine images',
  summary: 'Create an image from a file that exportMachineImage returned, of this or another installation.',
  method: 'POST',
  path: `${images}/import`,
  access,
  addition: true,
  long: true,
  accepts: 'bytes',
  query: z.object({
    name: Name.describe('The name of the image.'),
    description: Description.optional().describe("The file's own if it is left out."),
    shapeName: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("The shape of the image's sandboxes. The one that the file names if it is left out."),
  }),
  response: Image,
  examples: [{ query: { name: 'imported' } }],
  errors: ['image.FILE', 'image.TOO_MANY', 'image.TOO_MANY_FILES', ...machineErrors],
})
