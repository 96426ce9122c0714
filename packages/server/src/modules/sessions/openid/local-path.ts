import { ApiError } from '@sandglass/protocol'

const maxLength = 2000

/**
 * Returns the path of a page of the service, as a browser would read it. Anything that could lead to another site is
 * refused, so that a link to the sign-in cannot be used to send people there.
 */
export function localPath(text: unknown): string {
  if (text === undefined) return '/'
  // The host is only there to see whether the text names another one.
  const base = 'http://service.invalid'
  const url =
    typeof text === 'string' && text.length <= maxLength && text.startsWith('/') && URL.canParse(text, base)
      ? new URL(text, base)
      : undefined
  // A path of dots may end with two slashes at its beginning, and browsers read what follows them as a host.
  if (url?.origin !== base || url.pathname.startsWith('//'))
    throw new ApiError('request.INVALID', {
      message: 'The parameter "to" must be the path of a page of this service, such as /sandboxes.',
      fields: { issues: [{ path: 'query.to', message: 'must be a path of this service' }] },
    })
  return url.pathname + url.search + url.hash
}
