import { Sandglass } from '@sandglass/client'
import { sessionFetch } from './session-fetch.ts'

const clients = new Map<string, Sandglass>()

/** The client of an organization. Operators, who belong to none, call operations that need none. */
export function clientOf(orgId: string): Sandglass {
  const known = clients.get(orgId)
  if (known) return known
  const client = new Sandglass({
    url: location.origin,
    orgId,
    // The client wants one; `sessionFetch` does not send it.
    apiKey: 'session',
    fetch: sessionFetch,
  })
  clients.set(orgId, client)
  return client
}

/** For operations that belong to no organization. */
export const serviceClient = clientOf('-')
