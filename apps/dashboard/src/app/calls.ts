import type { CallableId, Input, Output, Sandglass } from '@sandglass/client'
import {
  type QueryClient,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { clientOf } from './client.ts'
import { useOrgId } from './session.ts'

type Result<Id extends CallableId> = Awaited<Output<Id>>

/**
 * The query for an operation. It is remembered by its operation, its organization and what it was called with. For `useQuery`, loaders and so on.
 *
 * @example
 * const { data } = useQuery(callOf(orgId, 'listProjects'))
 */
export function callOf<Id extends CallableId>(orgId: string, id: Id, input?: Input<Id>) {
  return queryOptions({
    queryKey: [id, orgId, input ?? null] as const,
    queryFn: ({ signal }) => invoke(clientOf(orgId), id, input, signal),
  })
}

/** The same for the organization of the person who is signed in. */
export function useCall<Id extends CallableId>(id: Id, input?: Input<Id>) {
  return callOf(useOrgId(), id, input)
}

/**
 * An operation that changes something. Lists that show what it changes are read again afterwards.
 *
 * @example
 * const remove = useChange('deleteSandbox', ['listSandboxes'])
 * remove.mutate({ sandboxId })
 */
export function useChange<Id extends CallableId>(
  id: Id,
  affects: readonly CallableId[] = [],
): UseMutationResult<Result<Id>, Error, Input<Id>> {
  const orgId = useOrgId()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input<Id>) => invoke(clientOf(orgId), id, input),
    onSuccess: () => readAgain(queries, affects),
  })
}

/** Reads everything again that these operations have returned and that a page shows. */
export async function readAgain(queries: QueryClient, ids: readonly CallableId[]): Promise<void> {
  await Promise.all(ids.map(id => queries.invalidateQueries({ queryKey: [id] })))
}

function invoke<Id extends CallableId>(
  client: Sandglass,
  id: Id,
  input?: Input<Id>,
  signal?: AbortSignal,
): Promise<Result<Id>> {
  return client.call(id, { ...input }, signal ? { signal } : {}) as Promise<Result<Id>>
}
