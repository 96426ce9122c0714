import { z } from 'zod'
import { operation } from './operation.ts'
import { Sandbox, SandboxStatus } from './sandbox.ts'

/** A sandbox as the operator sees it. */
export const OperatorSandbox = Sandbox.extend({
  orgId: z.string(),
  nodeId: z.string().nullable().describe('The node that has its machine; null if none has it.'),
}).meta({ id: 'OperatorSandbox' })
export type OperatorSandbox = z.infer<typeof OperatorSandbox>

export const listAllSandboxes = operation({
  id: 'listAllSandboxes',
  tag: 'Operator',
  summary: 'List the sandboxes of all organizations, the last one that was created first.',
  method: 'GET',
  path: '/api/operator/sandboxes',
  access: { to: 'operator' },
  query: z.object({
    orgId: z.string().optional().describe('The id of an organization.'),
    status: SandboxStatus.optional().describe('Only sandboxes in this status.'),
    nodeId: z.string().optional().describe('The id of a node.'),
    limit: z.coerce.number().int().min(1).max(1000).default(100).describe('The length of a page.'),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,200}$/, 'must be the X-Next-Cursor of an earlier response')
      .optional()
      .describe('The X-Next-Cursor of the page before. The last page has none.'),
  }),
  response: z.array(OperatorSandbox),
  addition: true,
})
