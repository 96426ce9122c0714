import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** How many more sandboxes of a shape would fit on a node now. */
export const ShapeCapacity = z
  .object({
    shapeName: z.string(),
    engine: z.string().describe('The engine of the node that makes its machines.'),
    free: z.int().min(0).describe('How many more machines would fit.'),
    warm: z.int().min(0).describe('How many machines are booted ahead and wait for a sandbox.'),
    reason: z.string().optional().describe('Why none would fit.'),
  })
  .meta({ id: 'ShapeCapacity' })
export type ShapeCapacity = z.infer<typeof ShapeCapacity>

const amount = z.object({
  total: z.number().min(0),
  free: z.number().min(0),
})

/** What the host of a node has. */
export const NodeResources = z
  .object({
    cpus: amount.describe('Processors. free: those that were idle in the last minute on average.'),
    memoryMiB: amount.describe('free: what programs can still take without swapping.'),
    diskMiB: amount.describe('The file system of the data directory.'),
  })
  .meta({ id: 'NodeResources' })
export type NodeResources = z.infer<typeof NodeResources>

/** One of the hosts of a cluster that a node uses. */
export const ClusterMember = z
  .object({
    engine: z.string().describe('The engine of the node that uses the cluster.'),
    name: z.string(),
    status: z
      .enum(['online', 'draining', 'evacuated', 'offline'])
      .describe(
        'draining: it gets no new machines. evacuated: its machines were moved or stopped. offline: it is gone, and its sandboxes are in ERROR until they are restarted.',
      ),
    reason: z.string().optional().describe('Why it is not online.'),
    machines: z.int().min(0).describe('How many machines it has.'),
    fits: z.int().min(0).optional().describe('How many more machines would fit, if it is known.'),
    cpus: z.number().min(0).optional().describe('Processors in all.'),
    memoryMiB: z.number().min(0).optional().describe('Memory in all.'),
    freeMemoryMiB: z.number().min(0).optional().describe('What programs can still take without swapping.'),
    freeDiskMiB: z.number().min(0).optional(),
  })
  .meta({ id: 'ClusterMember' })
export type ClusterMember = z.infer<typeof ClusterMember>

/** A process of the service with its own data directory. */
export const ServiceNode = z
  .object({
    id: z.string(),
    hostname: z.string(),
    version: z.string(),
    startedAt: Time,
    seenAt: Time,
    state: z
      .enum(['alive', 'draining', 'lost'])
      .describe(
        'draining: it takes no new sandboxes. lost: it did not renew its lease, and its sandboxes are in ERROR.',
      ),
    leaseUntil: Time.describe(
      'Another process declares the node lost if it has not renewed its lease by then.',
    ),
    lostAt: Time.optional().describe('When it was declared lost.'),
    drainingSince: Time.optional(),
    sandboxes: z.int().min(0).describe('How many sandboxes are placed on it.'),
    capacity: z
      .array(ShapeCapacity)
      .describe('What it can make, by shape; empty for a process that makes no machines.'),
    members: z
      .array(ClusterMember)
      .optional()
      .describe('The hosts of the clusters that it uses, as of seenAt. Left out by a node that uses none.'),
    resources: NodeResources.optional().describe('As of seenAt. Left out until the node has measured it.'),
  })
  .meta({ id: 'Node' })
export type ServiceNode = z.infer<typeof ServiceNode>

const nodes = '/api/operator/nodes'
const operator = { to: 'operator' } as const

export const listNodes = operation({
  id: 'listNodes',
  tag: 'Operator',
  summary: 'List the nodes of the service, which share this database, with their leases and capacity.',
  method: 'GET',
  path: nodes,
  access: operator,
  response: z.array(ServiceNode),
  addition: true,
})

export const drainNode = operation({
  id: 'drainNode',
  tag: 'Operator',
  summary: 'Place no more sandboxes on a node. Those that it has go on; its warm machines are destroyed.',
  method: 'POST',
  path: `${nodes}/{nodeId}/drain`,
  access: operator,
  response: ServiceNode,
  addition: true,
  errors: ['node.NOT_FOUND'],
})

export const undrainNode = operation({
  id: 'undrainNode',
  tag: 'Operator',
  summary: 'Place sandboxes on a drained node again.',
  method: 'POST',
  path: `${nodes}/{nodeId}/undrain`,
  access: operator,
  response: ServiceNode,
  addition: true,
  errors: ['node.NOT_FOUND'],
})

export const removeNode = operation({
  id: 'removeNode',
  tag: 'Operator',
  summary: 'Remove a node that is lost, or that is drained and has no sandboxes left.',
  method: 'DELETE',
  path: `${nodes}/{nodeId}`,
  access: operator,
  addition: true,
  errors: ['node.NOT_FOUND', 'node.IN_USE'],
})
