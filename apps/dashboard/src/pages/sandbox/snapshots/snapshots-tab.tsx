import type { Sandbox } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { useMay } from '../../../app/rights.ts'
import { Empty, ErrorNote, Loading } from '../../../ui/notes.tsx'
import { NewSnapshot } from './new-snapshot.tsx'
import { SnapshotTable } from './snapshot-table.tsx'

/** The disk of the sandbox at earlier moments, to return to. */
export function SnapshotsTab({ sandbox }: { sandbox: Sandbox }) {
  const { data, error } = useQuery(useCall('listSandboxSnapshots', { sandboxId: sandbox.id }))
  const mayUse = useMay('member')
  return (
    <div className="flex flex-col gap-4">
      {mayUse && <NewSnapshot sandbox={sandbox} />}
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Empty title="There are no snapshots.">
          A snapshot keeps the disk as it is now. It ends with the sandbox.
        </Empty>
      )}
      {data && data.length > 0 && <SnapshotTable sandboxId={sandbox.id} snapshots={data} />}
    </div>
  )
}
