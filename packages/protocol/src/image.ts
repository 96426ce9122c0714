import { z } from 'zod'
import { agreesOnIdle, disagreesOnIdle } from './lifecycle.ts'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { hasFewEntries, Sandbox, sandboxChoices, tooManyEntries, volumeErrors } from './sandbox.ts'
import { PauseMs, SavedStatus, SizeMiB } from './snapshot.ts'
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
    status: SavedStatus,
    reason: z.string().optional().describe('Why the image is in ERROR.'),
    sizeMiB: SizeMiB.optional(),
  })
  .meta({ id: 'Image' })
export type Image = z.infer<typeof Image>

/** A sandbox that was created from an image. */
export const SandboxFromImage = z.object({
  sandbox: Sandbox,
  bookId: z.string().describe('The id of the sandbox, for clients that keep the two apart.'),
})
export type SandboxFromImage = z.infer<typeof SandboxFromImage>

const images = '/api/orgs/{orgId}/machine-images'
const operatorImages = '/api/operator/machine-images'
const operator = { to: 'operator' } as const

export const listMachineImages = operation({
  id: 'listMachineImages',
  publishedId: 'MachineImageController_listMachineImages',
  tag: 'Machine images',
  summary: 'List the images that the organization can use, and its quota.',
  method: 'GET',
  path: images,
  access: { to: 'organization', role: 'viewer' },
  query: z.object({
    scope: z
      .enum(['org', 'public', 'all'])
      .default('org')
      .describe("The organization's own images, those that the operator shares with everybody, or both."),
  }),
  response: z.object({
    images: z.array(Image),
    quota: z.object({
      used: z.int().describe("The organization's own images, without those in ERROR."),
      limit: z.int().describe('1000000 if the plan sets no limit.'),
    }),
  }),
  examples: [{ query: { scope: 'all' } }],
})

export const createMachineImage = operation({
  id: 'createMachineImage',
  publishedId: 'MachineImageController_createMachineImage',
  tag: 'Machine images',
  summary: 'Save the disk of a sandbox as an image. The sandbox keeps running.',
  method: 'POST',
  path: images,
  access: { to: 'organization', role: 'member' },
  body: z.object({
    sandboxId: z.string().min(1).describe('The id of the sandbox whose disk is saved.'),
    name: Name.describe('The name of the image.'),
    description: Description.optional().describe('What is in the image, for people.'),
    deleteSandbox: z
      .boolean()
      .default(false)
      .describe('Deletes the sandbox once the image is READY. An addition to the contract.'),
  }),
  response: Image.extend({ pauseMs: PauseMs.optional() }),
  creates: true,
  examples: [{ body: { sandboxId: '{sandboxId}', name: 'with-my-tools' } }],
  errors: [
    'sandbox.NOT_FOUND',
    'sandbox.STATE',
    'sandbox.UNREACHABLE',
    'image.TOO_MANY',
    'snapshot.UNSUPPORTED',
    'machine.FAILED',
    'node.DISK_FULL',
    'node.GONE',
  ],
})

export const deleteMachineImage = operation({
  id: 'deleteMachineImage',
  publishedId: 'MachineImageController_deleteMachineImage',
  tag: 'Machine images',
  summary: 'Delete an image. Sandboxes that were created from it are not affected.',
  method: 'DELETE',
  path: `${images}/{imageId}`,
  access: { to: 'organization', role: 'member' },
  status: 204,
  errors: ['image.NOT_FOUND', 'image.NOT_OWN'],
})

export const createSandboxFromImage = operation({
  id: 'createSandboxFromImage',
  tag: 'Machine images',
  summary: 'Create a sandbox from an image, with the shape and the disk of the sandbox that was saved.',
  method: 'POST',
  path: '/api/orgs/{orgId}/sandboxes/from-image',
  access: { to: 'organization', role: 'member' },
  largeBody: true,
  body: z
    .object({
      imageId: z.string().min(1).describe('The id of an image that the organization can use.'),
      name: Name.describe('The name of the sandbox.'),
      maxLifeSeconds: z.int().min(300).max(604_800).describe('For how many seconds the sandbox lives.'),
      projectId: ProjectReference,
      ...sandboxChoices,
    })
    .refine(hasFewEntries, tooManyEntries)
    .refine(agreesOnIdle, disagreesOnIdle),
  response: SandboxFromImage,
  creates: true,
  examples: [{ body: { imageId: '{imageId}', name: 'from-image', maxLifeSeconds: 3600 } }],
  errors: [
    'image.NOT_FOUND',
    'image.NOT_READY',
    'shape.NOT_FOUND',
    'shape.PLAN_TOO_LOW',
    'project.NOT_FOUND',
    'sandbox.TOO_MANY',
    ...volumeErrors,
    'machine.NO_CAPACITY',
    'machine.NOT_READY',
    'node.GONE',
  ],
})

const Warm = z
  .int()
  .min(0)
  .max(1000)
  .describe('How many machines are kept booted on its node, so that a sandbox only has to claim one.')

/** An image as the operator sees it. */
export const OperatorImage = Image.extend({
  organizationId: z.string(),
  nodeId: z.string().nullable().describe('The node that has its disk; null if none has it.'),
  warm: Warm,
  ready: z.int().min(0).describe('How many of them are booted and wait for a sandbox.'),
}).meta({ id: 'OperatorImage' })
export type OperatorImage = z.infer<typeof OperatorImage>

export const listAllMachineImages = operation({
  id: 'listAllMachineImages',
  tag: 'Operator',
  summary: 'List the images of all organizations.',
  method: 'GET',
  path: operatorImages,
  access: operator,
  response: z.array(OperatorImage),
  addition: true,
})

export const updateMachineImage = operation({
  id: 'updateMachineImage',
  tag: 'Operator',
  summary:
    'Share an image with every organization (PUBLIC) or only with its own (ORG), or keep machines of it booted.',
  method: 'PATCH',
  path: `${operatorImages}/{imageId}`,
  access: operator,
  body: z
    .object({
      scope: Image.shape.scope.describe('PUBLIC: every organization can use it. ORG: only its own can.'),
      warm: Warm,
    })
    .partial(),
  response: OperatorImage,
  addition: true,
  examples: [{ body: { scope: 'ORG' } }],
  errors: ['image.NOT_FOUND', 'image.NOT_READY'],
})

export const removeMachineImage = operation({
  id: 'removeMachineImage',
  tag: 'Operator',
  summary: 'Delete an image of any organization.',
  method: 'DELETE',
  path: `${operatorImages}/{imageId}`,
  access: operator,
  addition: true,
  errors: ['image.NOT_FOUND'],
})
