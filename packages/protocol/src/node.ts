import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** A process of the service, with a data directory of its own. */
export const ServiceNode = z
  .object({ id: z.string(), hostname: z.string(), version: z.string(), startedAt: Time, seenAt: Time })
  .meta({ id: 'Node' })
export type ServiceNode = z.infer<typeof ServiceNode>

export const listNodes = operation({
  id: 'listNodes',
  tag: 'Operator',
  summary: 'The processes of the service that share this database.',
  method: 'GET',
  path: '/api/operator/nodes',
  access: { to: 'operator' },
  response: z.array(ServiceNode),
  addition: true,
})
