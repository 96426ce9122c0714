import pino, { type DestinationStream, type Logger } from 'pino'

/** Wherever a header or a field of one of these names turns up in a log line, its value does not. */
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

/** Structured lines on standard error; standard output is for people. */
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
  // Lines leave together, after a fifth of a second at the latest; pino writes out the rest when the process ends.
  return pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 200 })
}

/** The fields of a line with every secret struck out, however deep it stands; errors as what they say. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretNames.has(name.toLowerCase()) ? '[secret]' : shown(value),
    ]),
  )
}

function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return describeError(value)
  if (Array.isArray(value)) return value.map(shown)
  return Object.getPrototypeOf(value) === Object.prototype
    ? withoutSecrets(value as Record<string, unknown>)
    : String(value)
}

/** What an error says and where it comes from; not the connections and requests that hang on it. */
function describeError({ name, message, stack, cause, ...rest }: Error): Record<string, unknown> {
  return {
    name,
    message,
    stack,
    ...('code' in rest && { code: rest.code }),
    ...(cause instanceof Error && { cause: describeError(cause) }),
  }
}
