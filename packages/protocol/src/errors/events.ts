import type { ErrorDefinition } from './definition.ts'

/** Errors of the event log and of webhooks. */
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
  'webhook.NOT_FOUND': {
    status: 404,
    message: 'This webhook does not exist.',
    hint: 'Call listWebhooks to see the webhooks of the organization.',
  },
  'webhook.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of webhooks.',
    hint: 'Delete a webhook first.',
  },
  'webhook.DISABLED': {
    status: 409,
    message: 'The webhook is disabled, so nothing is sent to it.',
    hint: 'Call updateWebhook with {"enabled": true} first.',
  },
  'delivery.NOT_FOUND': {
    status: 404,
    message:
      'This webhook has no such delivery: its id is wrong, or it is older than the operator keeps deliveries.',
    hint: 'Call listWebhookDeliveries to see the deliveries.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
