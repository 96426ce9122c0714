import pino, { type DestinationStream, type Logger } from 'pino'

/** The values of headers and fields with these names are removed from every log line. */
const secretNames = new Set([
  'authorization',
  'x-api-key',
  'x-trial-session-token',
  'cookie',
  'set-cookie',
  'apikey',
  'operatorkey',
  'trialtoken',
  'accesstoken',
  'endusertoken',
  'password',
])

/** The message of an error that no code has handled, which is a mistake in the service. */
export const unhandled = 'an error was not handled'

/** Writes structured log lines to standard error. Standard output is for people. */
export function openLog(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.epochTime,
      formatters: { log: withoutSecrets },
    },
    destination,
  )
}

function standardError(): DestinationStream {
  // Lines are buffered for 200 ms at most. When the process ends, pino writes the rest.
  return pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 200 })
}

/** Replaces every secret, however deeply nested, and reduces errors to their description. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretNames.has(name.toLowerCase()) ? '[secret]' : redacted(value),
    ]),
  )
}

function redacted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return describeError(value)
  if (Array.isArray(value)) return value.map(redacted)
  return Object.getPrototypeOf(value) === Object.prototype
    ? withoutSecrets(value as Record<string, unknown>)
    : String(value)
}

/**
 * Keeps the message, the stack and the code of an error, but not the connections and requests that are attached to
 * it.
 */
function describeError({ name, message, stack, cause, ...rest }: Error): Record<string, unknown> {
  return {
    name,
    message,
    stack,
    ...('code' in rest && { code: rest.code }),
    ...(cause instanceof Error && { cause: describeError(cause) }),
  }
}
