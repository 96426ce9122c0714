import { z } from 'zod'
import { EventId, EventTypeName, LoggedEvent } from './event.ts'
import { operation } from './operation.ts'

/** Types separated by commas. `sandbox.*` stands for all that begin with `sandbox.`. */
const EventTypes = z
  .string()
  .transform((text, context): EventTypeName[] => {
    const types = text.split(',').map(name => ({ name, matched: typesLike(name) }))
    for (const { name } of types.filter(({ matched }) => matched.length === 0))
      context.addIssue(`${JSON.stringify(name)} is no type of event; docs/events.md lists all`)
    return types.flatMap(({ matched }) => matched)
  })
  .describe('Only these types, separated by commas; sandbox.* stands for all that begin with sandbox.')

function typesLike(name: string): EventTypeName[] {
  const all = EventTypeName.options
  return name.endsWith('.*')
    ? all.filter(type => type.startsWith(name.slice(0, -1)))
    : all.filter(type => type === name)
}

/** Which events to read. All given fields must match. */
export const EventQuery = z.object({
  types: EventTypes.optional(),
  subject: z.string().min(1).max(200).optional().describe('Only events of the resource with this id.'),
  since: z.iso.datetime({ offset: true }).optional().describe('Only events from this time on.'),
  before: z.iso.datetime({ offset: true }).optional().describe('Only events before this time.'),
  order: z
    .enum(['oldest', 'newest'])
    .default('oldest')
    .describe('Which events come first. A stream always begins with the oldest.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('The length of a page.'),
  cursor: EventId.optional().describe(
    'The id of an event, after which to go on in this order. A stream takes Last-Event-ID instead if it is given.',
  ),
})
export type EventQuery = z.infer<typeof EventQuery>

const EventPage = z.object({
  events: z.array(LoggedEvent),
  nextCursor: EventId.nullable().describe('Pass it as cursor to go on; null if there are no more now.'),
})

const log = {
  method: 'GET',
  query: EventQuery,
  response: EventPage,
  answers: { events: LoggedEvent },
  long: true,
  addition: true,
} as const
const errors = ['event.CURSOR_EXPIRED', 'event.TOO_MANY_STREAMS'] as const

export const listEvents = operation({
  ...log,
  id: 'listEvents',
  tag: 'Events',
  summary:
    'List what happened in the organization; with Accept: text/event-stream, follow it as server-sent events.',
  path: '/api/orgs/{orgId}/events',
  access: { to: 'organization', role: 'viewer' },
  examples: [
    { title: 'The last ones', query: { order: 'newest', limit: 20 } },
    { title: 'Of one sandbox', query: { subject: '{sandboxId}', order: 'newest' } },
  ],
  errors,
})

export const listSandboxEvents = operation({
  ...log,
  id: 'listSandboxEvents',
  tag: 'Events',
  summary:
    'List what happened to a sandbox, also after it has ended; with Accept: text/event-stream, follow it.',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/events',
  access: { to: 'organization', role: 'viewer', trial: true },
  query: EventQuery.omit({ subject: true }),
  errors: ['sandbox.NOT_FOUND', ...errors],
})

export const listAllEvents = operation({
  ...log,
  id: 'listAllEvents',
  tag: 'Operator',
  summary: 'List what happened to nodes and in all organizations; with Accept: text/event-stream, follow it.',
  path: '/api/operator/events',
  access: { to: 'operator' },
  query: EventQuery.extend({ orgId: z.string().optional().describe('Only events of this organization.') }),
  examples: [
    { title: 'The last ones', query: { order: 'newest', limit: 20 } },
    { title: 'Of one sandbox', query: { subject: '{sandboxId}', order: 'newest' } },
  ],
  errors,
})
