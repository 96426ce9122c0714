import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { messageOf, problemsOf } from '../../../ui/problems.ts'

/** Saves the disk as it is now. */
export function NewSnapshot({ sandboxId }: { sandboxId: string }) {
  const create = useChange('createSandboxSnapshot', ['listSandboxSnapshots'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('name'))
    create.mutate({ sandboxId, body: { name } }, { onSuccess: () => form.reset() })
  }
  const problem = create.error ? (problemsOf(create.error)['name'] ?? messageOf(create.error)) : undefined
  return (
    <form onSubmit={submit} className="flex items-start gap-3" noValidate>
      <div className="w-64">
        <Field label="Name of the snapshot" problem={problem}>
          <Input name="name" autoComplete="off" defaultValue="snapshot" />
        </Field>
      </div>
      <Button type="submit" look="primary" className="mt-6" disabled={create.isPending}>
        {create.isPending ? 'Saving' : 'Take a snapshot'}
      </Button>
    </form>
  )
}
