import type { ApiKey } from '@sandglass/protocol'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Select } from '../../ui/input.tsx'

const graces = [
  [0, 'at once'],
  [3600, 'in an hour'],
  [86_400, 'in a day'],
] as const

/** Replaces the secret of a key, which keeps its name and its rights. */
export function RotateKey({
  apiKey,
  onClose,
  onRotated,
}: {
  apiKey: ApiKey
  onClose: () => void
  onRotated: (apiKey: string | undefined) => void
}) {
  const [graceSeconds, setGrace] = useState(3600)
  const rotate = useChange('rotateApiKey', ['listApiKeys'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate(
      { keyId: apiKey.id, body: { graceSeconds } },
      { onSuccess: ({ apiKey: fresh }) => onRotated(fresh) },
    )
  }
  return (
    <Dialog title={`Rotate ${apiKey.name}`} about="The key gets a new secret." isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="The old secret ends">
          <Select value={graceSeconds} onChange={event => setGrace(Number(event.target.value))}>
            {graces.map(([seconds, title]) => (
              <option key={seconds} value={seconds}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
        <FormEnd action="Rotate" change={rotate} onClose={onClose} />
      </form>
    </Dialog>
  )
}
