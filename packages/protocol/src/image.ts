import { z } from 'zod'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Sandbox } from './sandbox.ts'
import { Description, Name } from './text.ts'
import { Time } from './time.ts'

/** A saved disk from which sandboxes can be created. */
export const Image = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    createdAt: Time,
    shapeName: z.string(),
    requiredFeatureFlag: z.string().nullable(),
    scope: z.enum(['ORG', 'PUBLIC']),
    status: z.enum(['CREATING', 'READY', 'ERROR']),
  })
  .meta({ id: 'Image' })
export type Image = z.infer<typeof Image>

const images = '/api/orgs/{orgId}/machine-images'

export const listMachineImages = operation({
  id: 'listMachineImages',
  publishedId: 'MachineImageController_listMachineImages',
  tag: 'Machine images',
  summary: 'List the images that the organization can use, and its quota.',
  method: 'GET',
  path: images,
  access: { to: 'organization', role: 'viewer' },
  query: z.object({ scope: z.enum(['org', 'public', 'all']).default('org') }),
  response: z.object({ images: z.array(Image), quota: z.object({ used: z.int(), limit: z.int() }) }),
})

export const createMachineImage = operation({
  id: 'createMachineImage',
  publishedId: 'MachineImageController_createMachineImage',
  tag: 'Machine images',
  summary: 'Save the disk of a sandbox as an image.',
  method: 'POST',
  path: images,
  access: { to: 'organization', role: 'member' },
  body: z.object({ sandboxId: z.string().min(1), name: Name, description: Description.optional() }),
  response: Image,
  creates: true,
})

export const deleteMachineImage = operation({
  id: 'deleteMachineImage',
  publishedId: 'MachineImageController_deleteMachineImage',
  tag: 'Machine images',
  summary: 'Delete an image.',
  method: 'DELETE',
  path: `${images}/{imageId}`,
  access: { to: 'organization', role: 'member' },
  status: 204,
})

export const createSandboxFromImage = operation({
  id: 'createSandboxFromImage',
  tag: 'Machine images',
  summary: 'Create a sandbox from an image.',
  method: 'POST',
  path: '/api/orgs/{orgId}/sandboxes/from-image',
  access: { to: 'organization', role: 'member' },
  body: z.object({
    imageId: z.string().min(1),
    name: Name,
    maxLifeSeconds: z.int().min(300).max(604_800),
    projectId: ProjectReference,
  }),
  response: z.object({ sandbox: Sandbox, bookId: z.string() }),
  creates: true,
})
