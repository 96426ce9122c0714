import { z } from 'zod'
import { LoggedEvent } from './event.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

const ActionNumber = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, 'must be the id of an action, or a nextCursor from an earlier response')

/** An action that was performed in a sandbox, or that failed there. */
export const TimelineAction = z
  .object({
    id: ActionNumber.describe('Unique. Later actions of a sandbox have greater numbers.'),
    at: Time.describe('When it began.'),
    actor: LoggedEvent.shape.actor.describe('Whose credential it was.'),
    source: z
      .enum(['api', 'text', 'mcp'])
      .describe(
        'How it was requested: "api" as an action, "text" in the text of a model, "mcp" with a tool of an MCP server.',
      ),
    type: z.string().describe('Such as mouse:click.'),
    action: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'The action as it was performed, with long texts shortened. Null if its arguments were not kept, and for viewers.',
      ),
    durationMs: z
      .int()
      .describe('From its beginning until the machine answered, with the wait until it took effect.'),
    outcome: z
      .string()
      .describe(
        '"done"; "abandoned" if the call was broken off, so that it is not known whether it was done; or the error code.',
      ),
    screenshotUrl: z
      .url()
      .nullable()
      .describe(
        'The screenshot that was requested with the action, as long as it is kept. The last action of a call has it.',
      ),
  })
  .meta({ id: 'TimelineAction' })
export type TimelineAction = z.infer<typeof TimelineAction>

/** Which actions to list. */
export const TimelineQuery = z.object({
  order: z.enum(['newest', 'oldest']).default('newest').describe('Which actions come first.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('The length of a page.'),
  cursor: ActionNumber.optional().describe('The id of an action, after which to go on in this order.'),
})
export type TimelineQuery = z.infer<typeof TimelineQuery>

export const listSandboxActions = operation({
  id: 'listSandboxActions',
  tag: 'Actions',
  summary: 'List the actions that were performed in a sandbox, also after it has ended.',
  method: 'GET',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/actions',
  access: { to: 'organization', role: 'viewer', trial: true },
  query: TimelineQuery,
  response: z.object({
    actions: z.array(TimelineAction),
    nextCursor: ActionNumber.nullable().describe(
      'Pass it as cursor to go on; null if there are no more now.',
    ),
  }),
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})
