import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'

/** The names of all organizations by their ids. */
export function useOrganizationNames(): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({ ...useCall('listOrganizations'), staleTime: 30_000 })
  return new Map(data.map(({ id, name }) => [id, name]))
}
