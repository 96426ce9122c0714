import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** A change that was made or refused: who did what to which resource, when, from which address, and the outcome. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Time,
    actor: z.object({
      kind: z.enum(['apiKey', 'user', 'trialToken', 'operator', 'invitation', 'mcpServer', 'service']),
      id: z.string(),
    }),
    operation: z.string(),
    target: z.string().nullable().describe('The id of the resource that it affects.'),
    outcome: z
      .string()
      .describe(
        '"done"; "attempted", which is recorded before an action inside a machine; or the error code.',
      ),
    address: z.string().nullable(),
    requestId: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

/** Which entries to list. All given fields must match. */
export const AuditFilter = z.object({
  operation: z.string().optional().describe('The id of an operation, such as createSandbox.'),
  actor: z.string().optional().describe('The id of the actor.'),
  target: z.string().optional().describe('The id of the resource that was affected.'),
  outcome: z.string().optional().describe('`done`, `attempted`, or an error code.'),
  since: z.iso.datetime({ offset: true }).optional().describe('Only entries from this time on.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Only entries up to this time.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('The length of a page.'),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'must be a nextCursor from an earlier response')
    .optional()
    .describe('The nextCursor of the page before.'),
})
export type AuditFilter = z.infer<typeof AuditFilter>

const AuditPage = z.object({
  entries: z.array(AuditEntry).describe('Newest first.'),
  nextCursor: z
    .string()
    .nullable()
    .describe('Pass it as cursor to get older entries; null if there are none.'),
})

export const listAuditLog = operation({
  id: 'listAuditLog',
  tag: 'Organization',
  summary: 'List the changes in the organization, with who made them and from which address.',
  method: 'GET',
  path: '/api/orgs/{orgId}/audit-log',
  access: { to: 'organization', role: 'owner' },
  query: AuditFilter,
  response: AuditPage,
  addition: true,
  examples: [
    { title: 'The last changes', query: { limit: 20 } },
    { title: 'Changes of one sandbox', query: { target: '{sandboxId}' } },
  ],
})

export const listOperatorAuditLog = operation({
  id: 'listOperatorAuditLog',
  tag: 'Operator',
  summary: 'List the changes made by the operator.',
  method: 'GET',
  path: '/api/operator/audit-log',
  access: { to: 'operator' },
  query: AuditFilter,
  response: AuditPage,
  addition: true,
})
