import type { Snapshot } from '@sandglass/protocol'
import { History, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../../app/calls.ts'
import { useMay } from '../../../app/rights.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { messageOf } from '../../../ui/problems.ts'
import { size } from '../../../ui/sizes.ts'
import { type Column, Table } from '../../../ui/table.tsx'
import { When } from '../../../ui/times.tsx'
import { toast } from '../../../ui/toasts.tsx'

const looks = { CREATING: 'info', READY: 'good', ERROR: 'wrong' } as const
const titles = { CREATING: 'Being saved', READY: 'Ready', ERROR: 'Failed' } as const

export function SnapshotTable({
  sandboxId,
  snapshots,
}: {
  sandboxId: string
  snapshots: readonly Snapshot[]
}) {
  const [restored, setRestored] = useState<Snapshot>()
  const restore = useChange('restoreSandbox', ['getSandbox'])
  const remove = useChange('deleteSandboxSnapshot', ['listSandboxSnapshots'])
  const mayUse = useMay('member')
  const columns: Column<Snapshot>[] = [
    { title: 'Name', cell: ({ name }) => name },
    {
      title: 'State',
      cell: ({ status, reason }) => (
        <>
          <Badge look={looks[status]}>{titles[status]}</Badge> {reason}
        </>
      ),
    },
    { title: 'Taken', cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      title: 'Size',
      isExtra: true,
      isNumber: true,
      cell: ({ sizeMiB }) => (sizeMiB === undefined ? '' : size(sizeMiB * 1024 * 1024)),
    },
    {
      title: 'Actions',
      cell: snapshot =>
        mayUse && (
          <span className="flex items-center gap-1">
            <Button
              size="small"
              disabled={snapshot.status !== 'READY'}
              aria-label={`Restore ${snapshot.name}`}
              onClick={() => setRestored(snapshot)}
            >
              <History />
              Restore
            </Button>
            <IconButton
              label={`Delete ${snapshot.name}`}
              disabled={remove.isPending}
              onClick={() =>
                remove.mutate(
                  { sandboxId, snapshotId: snapshot.id },
                  { onError: error => toast(messageOf(error), { isProblem: true }) },
                )
              }
            >
              <Trash2 />
            </IconButton>
          </span>
        ),
    },
  ]
  return (
    <>
      <Table label="Snapshots" rows={snapshots} columns={columns} idOf={({ id }) => id} />
      {restored && (
        <Confirm
          title={`Return to ${restored.name}?`}
          about="What is newer than the snapshot is lost, and programs end."
          action="Restore"
          isOpen
          isBusy={restore.isPending}
          error={restore.error}
          onClose={() => setRestored(undefined)}
          onConfirm={() =>
            restore.mutate(
              { sandboxId, body: { snapshotId: restored.id } },
              {
                onSuccess: () => {
                  toast('The disk is as it was.')
                  setRestored(undefined)
                },
              },
            )
          }
        />
      )}
    </>
  )
}
