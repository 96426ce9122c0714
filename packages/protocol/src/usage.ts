import { z } from 'zod'
import { operation } from './operation.ts'

/** How long the machines of one shape in one project ran on one day (UTC). */
export const Usage = z
  .object({
    day: z.iso.date(),
    projectId: z.string(),
    shapeName: z.string(),
    seconds: z.number(),
    billedSeconds: z.number().describe("The seconds times the shape's pricePerHour."),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

export const getUsage = operation({
  id: 'getUsage',
  tag: 'Organization',
  summary: 'How long machines ran, by day, project and shape. Only time in RUNNING counts.',
  method: 'GET',
  path: '/api/orgs/{orgId}/usage',
  access: { to: 'organization', role: 'viewer' },
  query: z.object({
    from: z.iso.date().optional().describe('The first day; 30 days ago unless given.'),
    to: z.iso.date().optional().describe('The last day; today unless given.'),
    projectId: z.string().optional(),
    sandboxId: z.string().optional(),
  }),
  response: z.array(Usage),
  addition: true,
})
