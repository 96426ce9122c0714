import { z } from 'zod'
import { operation } from './operation.ts'

const count = z.int().min(0)

export const Stats = z.object({ mcpServers: count, sandboxes: count, projects: count }).meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>

export const getStats = operation({
  id: 'getStats',
  tag: 'Organization',
  summary: 'How many things the organization has.',
  method: 'GET',
  path: '/api/orgs/{orgId}/stats',
  access: { to: 'organization', role: 'viewer' },
  response: Stats,
})
