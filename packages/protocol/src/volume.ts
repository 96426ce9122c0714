import { z } from 'zod'
import { operation } from './operation.ts'
import { SavedStatus } from './snapshot.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** A folder with a size limit that outlives sandboxes. */
export const Volume = z
  .object({
    id: z.string(),
    name: z.string(),
    sizeMiB: z.int(),
    usedMiB: z
      .number()
      .optional()
      .describe('What its files occupy, in MiB. Up to a minute old, and left out if that is not known.'),
    status: SavedStatus,
    reason: z.string().optional().describe('Why the volume is in ERROR.'),
    createdAt: Time,
    nodeId: z
      .string()
      .nullable()
      .describe('The node that has it, on which sandboxes that use it are; null if none has it any more.'),
    sandboxes: z
      .array(z.object({ sandboxId: z.string(), path: z.string(), readOnly: z.boolean() }))
      .describe('The sandboxes that have the volume, whether they run or not.'),
  })
  .meta({ id: 'Volume' })
export type Volume = z.infer<typeof Volume>

const volumes = '/api/orgs/{orgId}/volumes'
const operatorVolumes = '/api/operator/volumes'
const operator = { to: 'operator' } as const
const change = { to: 'organization', role: 'member' } as const

export const createVolume = operation({
  id: 'createVolume',
  tag: 'Volumes',
  summary: 'Create an empty volume, which belongs to one node.',
  method: 'POST',
  path: volumes,
  access: change,
  body: z.object({
    name: Name.describe('Unique in the organization.'),
    sizeMiB: z.int().min(64).max(16_777_216).describe('How much fits on it, in MiB.'),
  }),
  response: Volume,
  creates: true,
  addition: true,
  examples: [{ body: { name: 'results', sizeMiB: 64 } }],
  errors: [
    'volume.EXISTS',
    'volume.TOO_MANY',
    'volume.TOO_LARGE',
    'volume.UNSUPPORTED',
    'machine.NOT_READY',
    'machine.NO_CAPACITY',
    'machine.FAILED',
    'node.DISK_FULL',
    'node.GONE',
  ],
})

export const listVolumes = operation({
  id: 'listVolumes',
  tag: 'Volumes',
  summary: 'List the volumes of the organization, and the sandboxes that have them.',
  method: 'GET',
  path: volumes,
  access: { to: 'organization', role: 'viewer' },
  response: z.array(Volume),
  addition: true,
})

export const deleteVolume = operation({
  id: 'deleteVolume',
  tag: 'Volumes',
  summary: 'Delete a volume that no sandbox has, with everything on it.',
  method: 'DELETE',
  path: `${volumes}/{volumeId}`,
  access: change,
  addition: true,
  errors: ['volume.NOT_FOUND', 'volume.IN_USE'],
})

/** A volume as the operator sees it. */
export const OperatorVolume = Volume.extend({ organizationId: z.string() }).meta({ id: 'OperatorVolume' })
export type OperatorVolume = z.infer<typeof OperatorVolume>

export const listAllVolumes = operation({
  id: 'listAllVolumes',
  tag: 'Operator',
  summary: 'List the volumes of all organizations, and the sandboxes that have them.',
  method: 'GET',
  path: operatorVolumes,
  access: operator,
  response: z.array(OperatorVolume),
  addition: true,
})

export const removeVolume = operation({
  id: 'removeVolume',
  tag: 'Operator',
  summary: 'Delete a volume of any organization that no sandbox has, with everything on it.',
  method: 'DELETE',
  path: `${operatorVolumes}/{volumeId}`,
  access: operator,
  addition: true,
  errors: ['volume.NOT_FOUND', 'volume.IN_USE'],
})
