/**
 * Requests of the dashboard carry the cookie of its session, and this header, which no page of another origin can add. The client
 * library adds the header of an API key, which there is none of.
 */
export const sessionFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('x-api-key')
  headers.set('x-sandglass-session', '1')
  return fetch(input, { ...init, headers, credentials: 'same-origin' })
}
