import type { ImageBuild } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { ImageState } from '../images/images-page.tsx'
import { useOrganizationNames } from './organization-names.ts'

const looks = { waiting: 'quiet', building: 'info', ready: 'good', failed: 'wrong' } as const

/** The images of everybody, and those that are being made. */
export function AllImagesPage() {
  const images = useQuery({ ...useCall('listAllMachineImages'), refetchInterval: 5000 })
  const builds = useQuery({ ...useCall('listImageBuilds'), refetchInterval: 2000 })
  const organizations = useOrganizationNames()
  const [leaving, setLeaving] = useState<{ readonly id: string; readonly name: string }>()
  const remove = useChange('removeMachineImage', ['listAllMachineImages'])
  const error = images.error ?? builds.error
  return (
    <Page title="Images">
      {error && <ErrorNote error={error} />}
      <h2 className="text-lg font-semibold">Builds</h2>
      {!builds.data && !builds.error && <Loading />}
      {builds.data?.length === 0 && <Empty title="Nothing was built lately." />}
      {builds.data && builds.data.length > 0 && (
        <Table
          label="Builds"
          rows={builds.data}
          idOf={build => `${build.kind} ${build.imageId ?? build.image} ${build.nodeId} ${build.startedAt}`}
          columns={[
            { title: 'Image', cell: ({ image }) => <span className="font-medium">{image}</span> },
            {
              title: 'For',
              isExtra: true,
              cell: ({ organizationId }) =>
                organizationId
                  ? (organizations.get(organizationId) ?? organizationId)
                  : 'the shapes of a node',
            },
            { title: 'State', cell: ({ state }) => <Badge look={looks[state]}>{state}</Badge> },
            { title: 'Progress', cell: build => <Progress build={build} /> },
            { title: 'Began', isExtra: true, cell: ({ startedAt }) => startedAt && <When at={startedAt} /> },
          ]}
        />
      )}
      <h2 className="mt-4 text-lg font-semibold">Images of organizations</h2>
      {images.data?.length === 0 && <Empty title="No organization has an image." />}
      {images.data && images.data.length > 0 && (
        <Table
          label="Images"
          rows={images.data}
          idOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
            { title: 'Scope', cell: ({ scope }) => (scope === 'PUBLIC' ? 'everybody' : 'its organization') },
            { title: 'State', cell: ({ status }) => <ImageState status={status} /> },
            { title: 'Shape', isExtra: true, cell: ({ shapeName }) => shapeName },
            {
              title: 'Size',
              isExtra: true,
              isNumber: true,
              cell: ({ sizeMiB }) => (sizeMiB === undefined ? '' : `${sizeMiB} MiB`),
            },
            {
              title: 'Actions',
              cell: image => (
                <Button look="danger" size="small" onClick={() => setLeaving(image)}>
                  Delete
                </Button>
              ),
            },
          ]}
        />
      )}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          about="Its organization loses it. Sandboxes that were created from it go on."
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

function Progress({ build: { progress, reason } }: { build: ImageBuild }) {
  if (!progress) return reason
  const { done, total, text } = progress
  return (
    <div className="min-w-32">
      {total !== null && (
        <progress aria-label="Progress" value={done} max={total} className="h-1.5 w-full accent-accent" />
      )}
      <span className="text-[13px] text-quiet">{text}</span>
    </div>
  )
}
