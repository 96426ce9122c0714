import { incomplete } from './connection-failure.ts'
import { WrongServiceError } from './errors.ts'

/** Reads an answer of JSON. An empty one is undefined. */
export async function readJson(response: Response, url: string): Promise<unknown> {
  const text = await response.text().catch(cause => {
    throw incomplete(url, cause)
  })
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw isOf(response, 'application/json') ? incomplete(url, cause) : wrongAnswer(response, url)
  }
}

/** Fails if a proxy has answered with a page of its own, such as one to log in. */
export function requireType(response: Response, type: string, url: string): void {
  if (!isOf(response, type)) throw wrongAnswer(response, url)
}

function isOf({ headers }: Response, type: string): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith(type) === true
}

function wrongAnswer({ status, headers }: Response, url: string): WrongServiceError {
  const type = headers.get('content-type') ?? 'no content type'
  return new WrongServiceError(
    `What answers at ${url} is not a Sandglass service, or something in front of it has answered (${status}, ${type}). Check ` +
      'the URL (SANDGLASS_URL), and whether a proxy asks you to log in.',
    { code: 'client.WRONG_SERVICE', status, requestId: headers.get('x-request-id') ?? undefined },
  )
}
