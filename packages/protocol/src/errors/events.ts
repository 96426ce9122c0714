import type { ErrorDefinition } from './definition.ts'

/** Errors of the event log and of those who read it. */
export const eventErrors = {
  'event.CURSOR_EXPIRED': {
    status: 409,
    message:
      'Events after this cursor are gone, because they were older than the log keeps them or the database was set back.',
    hint: 'Read on without the cursor or Last-Event-ID, and read the resources again if you keep copies of them.',
  },
  'event.TOO_MANY_STREAMS': {
    status: 429,
    message: 'The organization has too many open streams of events.',
    hint: 'Close one, or let one reader distribute the events.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
