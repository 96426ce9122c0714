import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** A process of the service with its own data directory. */
export const ServiceNode = z
  .object({ id: z.string(), hostname: z.string(), version: z.string(), startedAt: Time, seenAt: Time })
  .meta({ id: 'Node' })
export type ServiceNode = z.infer<typeof ServiceNode>

export const listNodes = operation({
  id: 'listNodes',
  tag: 'Operator',
  summary: 'List the nodes of the service, which share this database.',
  method: 'GET',
  path: '/api/operator/nodes',
  access: { to: 'operator' },
  response: z.array(ServiceNode),
  addition: true,
})
