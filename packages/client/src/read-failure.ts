import { errorClassOf, type SandglassError, WrongServiceError } from './errors.ts'

interface ErrorBody {
  readonly code?: unknown
  readonly message?: unknown
}

/** Makes an error of a response that is not a success. */
export async function readFailure(response: Response, url: string): Promise<SandglassError> {
  const text = await response.text().catch(() => '')
  const body = parse(text)
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterSeconds = secondsOf(headers.get('retry-after'))
  if (typeof body?.code !== 'string' || typeof body.message !== 'string')
    return noError(response, url, requestId)
  const { code, message, requestId: _, ...fields } = body as ErrorBody & { requestId?: string }
  const details = { code: String(code), status, requestId, fields, retryAfterSeconds }
  if (code === 'route.NOT_FOUND' || code === 'route.METHOD_NOT_ALLOWED')
    return new WrongServiceError(
      `${message} The service at ${url} is older than this library, or its base path is missing from the URL.`,
      details,
    )
  return new (errorClassOf(status))(String(message), details)
}

/** Between the caller and the service, something else has answered. */
function noError({ status, headers }: Response, url: string, requestId: string | undefined): SandglassError {
  const details = { status, requestId, retryAfterSeconds: secondsOf(headers.get('retry-after')) }
  if (status === 429 || status >= 500)
    return new (errorClassOf(status))(
      `A proxy in front of ${url} answered ${status}, without an answer of the service.`,
      { code: 'client.PROXY', ...details },
    )
  return new WrongServiceError(
    `What answers at ${url} is not a Sandglass service: it answered ${status} without an error of ours. Check the URL ` +
      '(SANDGLASS_URL), and its base path if it has one.',
    { code: 'client.WRONG_SERVICE', ...details },
  )
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
