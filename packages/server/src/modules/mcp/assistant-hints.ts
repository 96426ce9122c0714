import * as protocol from '@sandglass/protocol'
import { type ApiError, type ErrorCode, errors } from '@sandglass/protocol'

/** Hints for assistants, who have tools instead of operations. */
const hints: Partial<Record<ErrorCode, string>> = {
  'sandbox.TAKEN_OVER': 'Wait until the person hands control back, then try again.',
  'sandbox.STATE': 'Try again later, or ask the user to look at the sandbox.',
  'sandbox.NOT_FOUND': 'Ask the user to assign another sandbox to this server.',
}

const operationNames = new RegExp(
  `\\b(${Object.values<unknown>(protocol)
    .flatMap(value =>
      typeof value === 'object' && value !== null && 'access' in value && 'id' in value ? [value.id] : [],
    )
    .join('|')})\\b`,
)

/**
 * Returns the message of an error for an assistant. A hint that names an operation of the API is replaced or left out,
 * because an assistant would look for a tool of that name.
 */
export function messageForAssistant({ code, problem, message }: ApiError): string {
  const own = hints[code]
  if (own !== undefined) return `${problem} ${own}`
  return operationNames.test(errors[code].hint) ? problem : message
}
