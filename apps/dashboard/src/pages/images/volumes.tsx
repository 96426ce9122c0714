import type { Volume } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input } from '../../ui/input.tsx'
import { ErrorNote } from '../../ui/notes.tsx'
import { problemsOf } from '../../ui/problems.ts'
import { Table } from '../../ui/table.tsx'
import { ImageState } from './images-page.tsx'

/** Folders that outlive sandboxes. */
export function Volumes() {
  const { data, error } = useQuery(useCall('listVolumes'))
  const [isMaking, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<Volume>()
  const remove = useChange('deleteVolume', ['listVolumes'])
  const mayChange = useMay('member')
  return (
    <section aria-labelledby="volumes" className="mt-4 flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h2 id="volumes" className="text-lg font-semibold">
          Volumes
        </h2>
        {mayChange && (
          <Button onClick={() => setMaking(true)}>
            <Plus />
            New volume
          </Button>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      {data?.length === 0 && (
        <p className="text-quiet">
          No volumes. One is a folder that several sandboxes can have, also after each other.
        </p>
      )}
      {data && data.length > 0 && (
        <Table
          label="Volumes"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
            { title: 'State', cell: ({ status }) => <ImageState status={status} /> },
            {
              title: 'Size',
              isNumber: true,
              cell: ({ sizeMiB, usedMiB }) =>
                `${usedMiB === undefined ? '' : `${Math.round(usedMiB)} of `}${sizeMiB} MiB`,
            },
            { title: 'Sandboxes', isExtra: true, isNumber: true, cell: ({ sandboxes }) => sandboxes.length },
            {
              title: 'Actions',
              cell: volume =>
                mayChange && (
                  <Button look="danger" size="small" onClick={() => setLeaving(volume)}>
                    Delete
                  </Button>
                ),
            },
          ]}
        />
      )}
      {isMaking && <NewVolume onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          about="All files in it are lost."
          action="Delete"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={() => setLeaving(undefined)}
          onConfirm={() =>
            remove.mutate({ volumeId: leaving.id }, { onSuccess: () => setLeaving(undefined) })
          }
        />
      )}
    </section>
  )
}

function NewVolume({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [sizeMiB, setSize] = useState('1024')
  const create = useChange('createVolume', ['listVolumes', 'getLimits'])
  const problems = problemsOf(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ body: { name, sizeMiB: Number(sizeMiB) } }, { onSuccess: onClose })
  }
  return (
    <Dialog title="New volume" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problems['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Size in MiB" problem={problems['sizeMiB']}>
          <Input type="number" value={sizeMiB} onChange={event => setSize(event.target.value)} />
        </Field>
        <FormEnd action="Create" change={create} onClose={onClose} />
      </form>
    </Dialog>
  )
}
