import { z } from 'zod'
import { operation } from './operation.ts'

const ifOffered = '; 0 if the shape is no longer offered.'

const shape = {
  name: z.string(),
  description: z.string(),
  hardwareAcceleratedEncoding: z.boolean(),
  requiredPlanTier: z.int(),
  requiredFeatureFlag: z.string().describe('"" if none is required.'),
  os: z.enum(['Windows', 'Linux', 'Android']),
  virtualization: z.enum(['KVM', 'Container']),
  architecture: z.enum(['x86_64', 'aarch64']),
  simulated: z
    .literal(true)
    .optional()
    .describe(
      'Set if the machines only simulate this os: they take its actions, and cannot run its programs.',
    ),
  cpus: z.number().min(0).describe(`How many processors each machine may use${ifOffered}`),
  memoryMiB: z.number().min(0).describe(`The memory of each machine in MiB${ifOffered}`),
  diskMiB: z.number().min(0).describe(`The disk of each machine in MiB${ifOffered}`),
}

/** A kind of machine. `pricePerHour` is a multiplier: 0.5 bills an hour of use as half an hour. */
export const Shape = z
  .object({ ...shape, pricePerHour: z.number() })
  .meta({ id: 'Shape', description: 'A kind of machine. pricePerHour is a multiplier of the time used.' })
export type Shape = z.infer<typeof Shape>

/** A shape as listShapes returns it: published clients expect `pricePerHour` as a decimal string there. */
export const ListedShape = z
  .object({ ...shape, pricePerHour: z.string().regex(/^\d+(\.\d+)?$/) })
  .meta({ id: 'ListedShape', description: 'A shape, with pricePerHour as a decimal string.' })
export type ListedShape = z.infer<typeof ListedShape>

export const listShapes = operation({
  id: 'listShapes',
  tag: 'Shapes',
  summary: 'List the shapes that this organization can use.',
  method: 'GET',
  path: '/api/orgs/{orgId}/shapes',
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.array(ListedShape),
})
