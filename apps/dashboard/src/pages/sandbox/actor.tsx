import type { LoggedEvent } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { usePerson } from '../../app/session.ts'

const kinds: Readonly<Record<LoggedEvent['actor']['kind'], string>> = {
  apiKey: 'Key',
  user: 'User',
  trialToken: 'Trial',
  operator: 'The operator',
  invitation: 'A guest',
  mcpServer: 'MCP server',
  service: 'The service',
}

/** Who did something. Keys have names for those who may see them. */
export function Actor({ actor: { kind, id } }: { actor: LoggedEvent['actor'] }) {
  const person = usePerson()
  const mayList = useMay('admin') && person.kind !== 'trialToken'
  const { data: keys } = useQuery({ ...useCall('listApiKeys'), enabled: mayList, staleTime: 60_000 })
  const name =
    person.id === id
      ? (person.name ?? undefined)
      : kind === 'apiKey'
        ? keys?.find(key => key.id === id)?.name
        : undefined
  const isNamed = kind !== 'service' && kind !== 'operator' && kind !== 'invitation'
  return (
    <span title={id}>
      {kinds[kind]}
      {isNamed && ` ${name ?? id.slice(0, 8)}`}
    </span>
  )
}
