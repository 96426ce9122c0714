import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { Empty, ErrorNote, Loading } from '../../../ui/notes.tsx'
import { MapPort } from './map-port.tsx'
import { MappingRow } from './mapping-row.tsx'

/** Ports of the machine that have an address, for browsers and programs. */
export function PortsTab({ sandboxId }: { sandboxId: string }) {
  const { data, error } = useQuery(useCall('listHttpMappings', { sandboxId }))
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <MapPort sandboxId={sandboxId} />
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Empty title="No port has an address yet.">
          A web server in the machine can be opened here, even if it listens only on 127.0.0.1.
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="flex flex-col gap-2" aria-label="Mapped ports">
          {data.map(mapping => (
            <MappingRow key={mapping.targetEndpoint} sandboxId={sandboxId} mapping={mapping} />
          ))}
        </ul>
      )}
    </div>
  )
}
