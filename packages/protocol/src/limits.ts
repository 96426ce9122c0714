import { z } from 'zod'
import { operation } from './operation.ts'

/** What an organization has of something that is limited. */
export const Limit = z
  .object({
    name: z.enum([
      'concurrentSandboxes',
      'machineImages',
      'snapshots',
      'volumes',
      'volumesMiB',
      'webhooks',
      'apiKeys',
      'trialTokens',
      'projects',
      'mcpServers',
    ]),
    used: z.int().min(0),
    limit: z.int().min(0).nullable().describe('null means unlimited.'),
  })
  .meta({ id: 'Limit' })
export type Limit = z.infer<typeof Limit>

/** The plan of an organization, and how much of it is used. */
export const Limits = z
  .object({
    plan: z.string(),
    tier: z.int().describe('The plan allows shapes that require this tier or a lower one.'),
    limits: z.array(Limit),
  })
  .meta({ id: 'Limits' })
export type Limits = z.infer<typeof Limits>

export const getLimits = operation({
  id: 'getLimits',
  tag: 'Organization',
  summary:
    'Get what the organization uses and what it can have at most, by its plan and by the limits of the service.',
  method: 'GET',
  path: '/api/orgs/{orgId}/limits',
  access: { to: 'organization', role: 'viewer' },
  response: Limits,
  addition: true,
})
