import { z } from 'zod'
import { operation } from './operation.ts'

/** How long the machines of one shape in one project ran on one day (UTC). */
export const Usage = z
  .object({
    day: z.iso.date(),
    projectId: z.string(),
    shapeName: z.string(),
    seconds: z.number(),
    billedSeconds: z.number().describe("seconds multiplied by the shape's pricePerHour."),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

/** PostgreSQL knows no year 0. */
const day = z.iso.date().regex(/^(?!0000)/, 'must be a day since 0001-01-01')

export const getUsage = operation({
  id: 'getUsage',
  tag: 'Organization',
  summary: 'Get the running time of machines by day, project and shape. Only time in RUNNING counts.',
  method: 'GET',
  path: '/api/orgs/{orgId}/usage',
  access: { to: 'organization', role: 'viewer' },
  query: z.object({
    from: day.optional().describe('The first day; by default 30 days ago.'),
    to: day.optional().describe('The last day; by default today.'),
    projectId: z.string().optional().describe('Only the sandboxes of this project.'),
    sandboxId: z.string().optional().describe('Only this sandbox, also after it has ended.'),
  }),
  response: z.array(Usage),
  addition: true,
  examples: [
    { title: 'Of the last 30 days', query: {} },
    { title: 'Of one sandbox', query: { sandboxId: '{sandboxId}' } },
  ],
})
