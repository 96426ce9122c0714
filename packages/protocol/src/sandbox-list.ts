import { z } from 'zod'
import { operation } from './operation.ts'
import { Sandbox, SandboxStatus } from './sandbox.ts'

/** A page of a list that is longer than anybody wants to read at once. */
const maxListed = 1000

const label = z.string().regex(/^[^=]+=/, 'must be name=value')

/** What sandboxes can be sorted by; `-` reverses the order. */
export const SandboxSort = z.enum([
  'createdAt',
  '-createdAt',
  'expiresAt',
  '-expiresAt',
  'name',
  '-name',
  'status',
  '-status',
])
export type SandboxSort = z.infer<typeof SandboxSort>

export const listSandboxes = operation({
  id: 'listSandboxes',
  tag: 'Sandboxes',
  summary: 'List the sandboxes of the organization.',
  method: 'GET',
  path: '/api/orgs/{orgId}/sandboxes',
  access: { to: 'organization', role: 'viewer', trial: true },
  query: z
    .object({
      project: z.string().optional().describe('The id of a project.'),
      projectId: z.string().optional().describe('Alias of project.'),
      status: SandboxStatus.optional().describe('Only sandboxes in this status.'),
      label: z
        .union([label, z.array(label).max(20)])
        .optional()
        .describe('name=value. Can be repeated; all must match.'),
      search: z
        .string()
        .max(100)
        .regex(/^[^\0]*$/, 'must not contain a null byte')
        .optional()
        .describe('Lists only sandboxes whose name or id contains this, in upper or lower case.'),
      sort: SandboxSort.optional().describe(
        'The order of the list; `-` reverses it. Without it, sandboxes are sorted by createdAt, and those that have ended by the time of their end, the last one first.',
      ),
      ended: z
        .enum(['true', 'false'])
        .default('false')
        .describe(
          'true lists sandboxes that have ended recently, each with `ended`; its status is the last one that it had.',
        ),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(maxListed)
        .optional()
        .describe(
          'The length of a page. Without it all sandboxes are listed, or the last 100 that have ended. X-Total-Count is the length of all pages together.',
        ),
      cursor: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,1000}$/, 'must be the X-Next-Cursor of an earlier response')
        .optional()
        .describe('The X-Next-Cursor of the page before, with the same sort. The last page has none.'),
    })
    .refine(({ project, projectId }) => project === undefined || (projectId ?? project) === project, {
      path: ['projectId'],
      message: 'must equal project or be omitted',
    }),
  response: z.array(Sandbox),
  examples: [
    { title: 'Newest first', query: { sort: '-createdAt' } },
    { title: 'Of one project', query: { projectId: '{projectId}' } },
  ],
})
