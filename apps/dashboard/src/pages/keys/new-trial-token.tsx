import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Checks } from '../../ui/checks.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

export function NewTrialToken({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (token: string | undefined) => void
}) {
  const shapes = useQuery(useCall('listShapes'))
  const [name, setName] = useState('trial')
  const [hours, setHours] = useState('1')
  const [quota, setQuota] = useState('1')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = useChange('createTrialToken', ['listTrialTokens'])
  const problems = problemsOf(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      {
        body: {
          name,
          expiresInSeconds: Math.round(Number(hours) * 3600),
          sandboxQuota: Number(quota),
          shapeNames: [...chosen],
        },
      },
      { onSuccess: ({ trialToken }) => onCreated(trialToken) },
    )
  }
  return (
    <Dialog title="New trial token" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problems['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Hours until it expires" problem={problems['expiresInSeconds']}>
          <Input
            type="number"
            min={0}
            step="any"
            value={hours}
            onChange={event => setHours(event.target.value)}
          />
        </Field>
        <Field label="Sandboxes at once" problem={problems['sandboxQuota']}>
          <Input type="number" min={1} value={quota} onChange={event => setQuota(event.target.value)} />
        </Field>
        <Checks
          title="Shapes"
          all={(shapes.data ?? []).map(shape => [shape.name, shape.name])}
          chosen={chosen}
          problem={problems['shapeNames'] && 'Choose at least one shape.'}
          onChange={setChosen}
        />
        <FormEnd action="Create" change={create} onClose={onClose} />
      </form>
    </Dialog>
  )
}
