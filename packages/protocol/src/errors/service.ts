import type { ErrorDefinition } from './definition.ts'

/** Errors of the service itself, which say whether something was done. */
export const serviceErrors = {
  'service.INTERNAL': {
    status: 500,
    message: 'An internal error occurred.',
    hint: 'Retry; if it fails again, send the requestId to the operator.',
  },
  'service.OUTCOME_UNKNOWN': {
    status: 504,
    message: 'The database did not confirm the change: it may or may not have been made.',
    hint: 'Check whether it was made before you retry; a retry with the same Idempotency-Key is always safe.',
  },
  'service.UNAVAILABLE': {
    status: 503,
    message: 'The service cannot do this right now, and nothing was done.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
