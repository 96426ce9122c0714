import type { Output } from '@sandglass/client'
import { AuthenticationError } from '@sandglass/client'
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { serviceClient } from './client.ts'

/** Who is signed in. */
export type Person = Awaited<Output<'getWhoami'>>

/** Null if nobody is signed in. */
export const whoami = queryOptions({
  queryKey: ['getWhoami'],
  queryFn: async ({ signal }): Promise<Person | null> => {
    try {
      return await serviceClient.getWhoami({}, { signal })
    } catch (error) {
      if (error instanceof AuthenticationError) return null
      throw error
    }
  },
  staleTime: 30_000,
})

/** The person who is signed in. Pages are shown only if there is one. */
export function usePerson(): Person {
  const { data } = useSuspenseQuery(whoami)
  if (!data) throw new Error('Nobody is signed in.')
  return data
}

/** The organization of the person. Operators have none, and their pages call no operation that needs one. */
export function useOrgId(): string {
  return usePerson().organization?.id ?? '-'
}

/** Forgets everything that was read, so that the next person does not see it. */
export function forgetPerson(queries: QueryClient): void {
  queries.clear()
  queries.setQueryData(whoami.queryKey, null)
}
