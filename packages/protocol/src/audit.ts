import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** One change, done or refused: who did what to what, when, from where, and what came of it. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Time,
    actor: z.object({
      kind: z.enum(['apiKey', 'user', 'trialToken', 'operator', 'invitation', 'mcpServer', 'service']),
      id: z.string(),
    }),
    operation: z.string(),
    target: z.string().nullable().describe('The id of what it was done to.'),
    outcome: z
      .string()
      .describe(
        '"done"; "attempted", recorded before something is done inside a machine; or the code of the error.',
      ),
    address: z.string().nullable(),
    requestId: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditFilter = z.object({
  operation: z.string().optional(),
  actor: z.string().optional().describe('The id of who did it.'),
  target: z.string().optional(),
  outcome: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'must be a nextCursor of an earlier answer')
    .optional(),
})
export type AuditFilter = z.infer<typeof AuditFilter>

const AuditPage = z.object({
  entries: z.array(AuditEntry).describe('The newest first.'),
  nextCursor: z.string().nullable().describe('For the entries before these; null at the end.'),
})

export const listAuditLog = operation({
  id: 'listAuditLog',
  tag: 'Organization',
  summary: 'What was changed in the organization, by whom and from where.',
  method: 'GET',
  path: '/api/orgs/{orgId}/audit-log',
  access: { to: 'organization', role: 'owner' },
  query: AuditFilter,
  response: AuditPage,
  addition: true,
})

export const listOperatorAuditLog = operation({
  id: 'listOperatorAuditLog',
  tag: 'Operator',
  summary: 'What the operator changed.',
  method: 'GET',
  path: '/api/operator/audit-log',
  access: { to: 'operator' },
  query: AuditFilter,
  response: AuditPage,
  addition: true,
})
