import { AuthenticationError, ConnectionError, UnavailableError } from '@sandglass/client'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { forgetPerson } from './session.ts'

/** What the dashboard has read. The client library has already repeated what can be repeated. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) =>
        failures < 20 && (error instanceof ConnectionError || error instanceof UnavailableError),
      retryDelay: 1000,
    },
    mutations: { onError: leaveIfSignedOut },
  },
})

/** The key was revoked, or the session has ended. */
function leaveIfSignedOut(error: Error): void {
  if (error instanceof AuthenticationError) forgetPerson(queries)
}
