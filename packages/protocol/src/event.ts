import { z } from 'zod'
import { resourceEventTypes } from './resource-event-types.ts'
import { sandboxEventTypes } from './sandbox-event-types.ts'
import { Time } from './time.ts'

/** Every type of event. A type that has been released keeps its name and the fields of its data. */
export const eventTypes = { ...sandboxEventTypes, ...resourceEventTypes }
export type EventTypeName = keyof typeof eventTypes
/** The data of a type of event. */
export type EventData<Type extends EventTypeName> = z.output<(typeof eventTypes)[Type]['data']>

export const EventTypeName = z.enum(Object.keys(eventTypes) as [EventTypeName, ...EventTypeName[]])

/** The id of an event, which is also a position in the log. Ids sort in the order in which readers receive events. */
export const EventId = z.string().regex(/^evt_[0-9a-f]{24}$/, 'must be the id of an event')

/** An entry of the event log. */
export const LoggedEvent = z
  .object({
    id: EventId.describe('Unique. Later events have greater ids, and an id can be passed as a cursor.'),
    orgId: z
      .string()
      .nullable()
      .describe('Null for events of the service itself, which only the operator sees.'),
    type: EventTypeName,
    time: Time,
    subject: z.string().describe('The id of the resource that it happened to.'),
    data: z.record(z.string(), z.unknown()).describe('What docs/events.md says for the type.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it happened, as a sentence, if there is more to say than the type does.'),
    actor: z.object({
      kind: z.enum(['apiKey', 'user', 'trialToken', 'operator', 'invitation', 'mcpServer', 'service']),
      id: z.string(),
    }),
  })
  .meta({ id: 'Event' })
export type LoggedEvent = z.infer<typeof LoggedEvent>
