import pino, { type DestinationStream, type Logger } from 'pino'

/** Wherever a header or a field of one of these names turns up in a log line, its value does not. */
const secretNames = [
  'authorization',
  'x-api-key',
  'x-trial-session-token',
  'cookie',
  'apiKey',
  'operatorKey',
  'trialToken',
  'accessToken',
  'endUserToken',
  'password',
]

const redacted = secretNames.flatMap(name => {
  const quoted = JSON.stringify(name)
  return [`[${quoted}]`, `*[${quoted}]`, `*.*[${quoted}]`, `*.*.*[${quoted}]`]
})

/** Structured lines on standard error; standard output is for people. */
export function openLog(
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[secret]' },
      serializers: { error: describeError, err: describeError },
    },
    destination,
  )
}

/** What an error says and where it comes from; not the connections and requests that hang on it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}
