import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { usePerson } from '../../../app/session.ts'

/** The project of a sandbox. Trials do not see projects. */
export function ProjectName({ projectId }: { projectId: string }) {
  const { kind } = usePerson()
  const { data } = useQuery({ ...useCall('listProjects'), enabled: kind !== 'trialToken', staleTime: 60_000 })
  const name = data?.find(({ id }) => id === projectId)?.name
  return name === undefined ? undefined : <span>Project {name}</span>
}
