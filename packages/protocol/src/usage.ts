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

export const getUsage = operation({
  id: 'getUsage',
  tag: 'Organization',
  summary: 'Get the running time of machines by day, project and shape. Only time in RUNNING counts.',
  method: 'GET',
  path: '/api/orgs/{orgId}/usage',
  access: { to: 'organization', role: 'viewer' },
  query: z.object({
    from: z.iso.date().optional().describe('The first day; by default 30 days ago.'),
    to: z.iso.date().optional().describe('The last day; by default today.'),
    projectId: z.string().optional(),
    sandboxId: z.string().optional(),
  }),
  response: z.array(Usage),
  addition: true,
})
