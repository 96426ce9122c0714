import type { Image } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Hammer } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { BuildImage } from './build-image.tsx'
import { Volumes } from './volumes.tsx'

/** Saved disks to begin sandboxes with, and disks that outlive sandboxes. */
export function ImagesPage() {
  const { data, error } = useQuery(useCall('listMachineImages', { scope: 'all' }))
  const [isBuilding, setBuilding] = useState(false)
  const [leaving, setLeaving] = useState<Image>()
  const remove = useChange('deleteMachineImage', ['listMachineImages'])
  const mayChange = useMay('member')
  return (
    <Page
      title="Images"
      about={
        data &&
        `${data.quota.used} of ${data.quota.limit >= 1_000_000 ? 'any number of' : data.quota.limit} images`
      }
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setBuilding(true)}>
            <Hammer />
            Build an image
          </Button>
        )
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.images.length === 0 && (
        <Empty title="No images yet.">
          Build one from steps here, or save a sandbox on its page. New sandboxes then begin with its disk.
        </Empty>
      )}
      {data && data.images.length > 0 && (
        <Table
          label="Images"
          rows={data.images}
          idOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, description, reason }) => (
                <>
                  <span className="font-medium">{name}</span>
                  {(reason ?? description) && (
                    <p className="text-[13px] text-quiet">{reason ?? description}</p>
                  )}
                </>
              ),
            },
            { title: 'State', cell: ({ status }) => <ImageState status={status} /> },
            { title: 'Shape', isExtra: true, cell: ({ shapeName }) => shapeName },
            {
              title: 'Size',
              isExtra: true,
              isNumber: true,
              cell: ({ sizeMiB }) => (sizeMiB === undefined ? '' : `${sizeMiB} MiB`),
            },
            { title: 'Made', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              title: 'Actions',
              cell: image =>
                mayChange && (
                  <div className="flex gap-1">
                    {image.status === 'READY' && (
                      <Button asChild size="small">
                        <Link to="/sandboxes/new" search={{ image: image.id }}>
                          New sandbox
                        </Link>
                      </Button>
                    )}
                    {image.scope === 'ORG' && (
                      <Button look="danger" size="small" onClick={() => setLeaving(image)}>
                        Delete
                      </Button>
                    )}
                  </div>
                ),
            },
          ]}
        />
      )}
      <Volumes />
      {isBuilding && <BuildImage onClose={() => setBuilding(false)} />}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          about="Sandboxes that were created from it are not affected."
          action="Delete"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove.mutate({ imageId: leaving.id }, { onSuccess: () => setLeaving(undefined) })}
        />
      )}
    </Page>
  )
}

export function ImageState({ status }: { status: Image['status'] }) {
  if (status === 'READY') return <Badge look="good">ready</Badge>
  return status === 'ERROR' ? <Badge look="wrong">failed</Badge> : <Badge look="info">being made</Badge>
}
