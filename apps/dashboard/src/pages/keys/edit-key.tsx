import type { ApiKey } from '@sandglass/protocol'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { problemsOf } from '../../ui/problems.ts'
import { KeyFields, type KeyValues, secondsOf } from './key-fields.tsx'

export function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [values, setValues] = useState<KeyValues>({ name: apiKey.name, role: apiKey.role, days: '' })
  const update = useChange('updateApiKey', ['listApiKeys'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, role } = values
    update.mutate({ keyId: apiKey.id, body: { name, role, ...secondsOf(values) } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={`Change ${apiKey.name}`} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <KeyFields
          values={values}
          problems={problemsOf(update.error)}
          daysHint="From now. If it is empty, the time stays as it is."
          onChange={setValues}
        />
        <FormEnd action="Save" change={update} onClose={onClose} />
      </form>
    </Dialog>
  )
}
