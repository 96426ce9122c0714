import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { problemsOf } from '../../ui/problems.ts'
import { KeyFields, type KeyValues, secondsOf } from './key-fields.tsx'

export function NewKey({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (apiKey: string | undefined) => void
}) {
  const [values, setValues] = useState<KeyValues>({ name: '', role: 'member', days: '' })
  const create = useChange('createApiKey', ['listApiKeys'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, role } = values
    create.mutate(
      { body: { name, role, ...secondsOf(values) } },
      { onSuccess: ({ apiKey }) => onCreated(apiKey) },
    )
  }
  return (
    <Dialog title="New API key" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <KeyFields
          values={values}
          problems={problemsOf(create.error)}
          daysHint="If it is empty, the key does not expire."
          onChange={setValues}
        />
        <FormEnd action="Create" change={create} onClose={onClose} />
      </form>
    </Dialog>
  )
}
