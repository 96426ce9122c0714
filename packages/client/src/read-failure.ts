import { incomplete } from './connection-failure.ts'
import { errorClassOf, type SandglassError, WrongServiceError } from './errors.ts'

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly requestId?: unknown
}

const redirects = [301, 302, 303, 307, 308]

/** Makes an error of a response that is not a success. */
export async function readFailure(response: Response, url: string): Promise<SandglassError> {
  const { status, headers } = response
  const details = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  }
  if (response.type === 'opaqueredirect' || redirects.includes(status)) return redirected(response, url)
  const text = await response.text().catch(cause => {
    throw incomplete(url, cause)
  })
  const body = parse(text)
  if (!isError(body)) return noError(url, details)
  const { code, message, requestId: _, ...fields } = body
  const known = { ...details, code, fields }
  if (code === 'route.NOT_FOUND' || code === 'route.METHOD_NOT_ALLOWED')
    return new WrongServiceError(
      `${message} The service at ${url} is older than this library, or its base path is missing from the URL.`,
      known,
    )
  return new (errorClassOf(status))(message + adviceOn(code), known)
}

/** Where a caller of this library finds what the service complains about. */
function adviceOn(code: string): string {
  if (code === 'auth.INVALID') return ' It is the apiKey of the client, or SANDGLASS_API_KEY.'
  if (code === 'organization.NOT_FOUND') return ' It is the orgId of the client, or SANDGLASS_ORG.'
  return ''
}

/**
 * A redirect is not followed: the request would become another one, as a POST becomes a GET, and the API key would go to whoever is
 * there.
 */
function redirected({ status, headers }: Response, url: string): SandglassError {
  const location = headers.get('location')
  return new WrongServiceError(
    `${url} redirects${location ? ` to ${location}` : ' elsewhere'}. Use the URL of the service itself (SANDGLASS_URL); for ` +
      'example, it may begin with https.',
    { code: 'client.REDIRECTED', status },
  )
}

/** Between the caller and the service, something else has answered. */
function noError(url: string, details: { readonly status: number }): SandglassError {
  const { status } = details
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isError(body: unknown): body is ErrorBody {
  const { code, message } = (body ?? {}) as Partial<ErrorBody>
  return typeof code === 'string' && typeof message === 'string'
}

function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
