import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'

/** The names of the projects by their ids. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({ ...useCall('listProjects'), staleTime: 60_000 })
  return new Map(data.map(({ id, name }) => [id, name]))
}
