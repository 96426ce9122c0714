import { z } from 'zod'
import { operation } from './operation.ts'

const count = z.int().min(0)

/** How many resources an organization has. */
export const Stats = z.object({ mcpServers: count, sandboxes: count, projects: count }).meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>

export const getStats = operation({
  id: 'getStats',
  tag: 'Organization',
  summary: 'Count the resources of the organization.',
  method: 'GET',
  path: '/api/orgs/{orgId}/stats',
  access: { to: 'organization', role: 'viewer' },
  response: Stats,
})
