import { eventErrors } from './errors/events.ts'
import { insideErrors } from './errors/inside.ts'
import { liveErrors } from './errors/live.ts'
import { organizationErrors } from './errors/organization.ts'
import { parserErrors } from './errors/parser.ts'
import { requestErrors } from './errors/request.ts'
import { sandboxErrors } from './errors/sandbox.ts'
import { savedErrors } from './errors/saved.ts'
import { serviceErrors } from './errors/service.ts'
import { sessionErrors } from './errors/session.ts'

export type { ErrorDefinition } from './errors/definition.ts'

/**
 * Every error that the service reports. `message` says what is wrong and `hint` says how to fix it. A response's
 * `message` contains both; the code that reports the error may replace the first part with a more specific one.
 */
export const errors = {
  ...requestErrors,
  ...sessionErrors,
  ...organizationErrors,
  ...sandboxErrors,
  ...savedErrors,
  ...eventErrors,
  ...insideErrors,
  ...liveErrors,
  ...parserErrors,
  ...serviceErrors,
} as const

/** The code of an error. Clients may rely on codes; messages can change. */
export type ErrorCode = keyof typeof errors
