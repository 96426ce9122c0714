import type { Sandbox } from '@sandglass/protocol'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { messageOf, problemsOf } from '../../../ui/problems.ts'
import { KeepMemory, memoryIn } from '../keep-memory.tsx'

/** Saves the sandbox as it is now. */
export function NewSnapshot({ sandbox }: { sandbox: Sandbox }) {
  const create = useChange('createSandboxSnapshot', ['listSandboxSnapshots'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const body = { name: String(fields.get('name')), ...memoryIn(fields) }
    create.mutate({ sandboxId: sandbox.id, body }, { onSuccess: () => form.reset() })
  }
  const problem = create.error ? (problemsOf(create.error)['name'] ?? messageOf(create.error)) : undefined
  return (
    <form onSubmit={submit} className="flex items-start gap-3" noValidate>
      <div className="flex w-64 flex-col gap-2">
        <Field label="Name of the snapshot" problem={problem}>
          <Input name="name" autoComplete="off" defaultValue="snapshot" />
        </Field>
        <KeepMemory sandbox={sandbox} />
      </div>
      <Button type="submit" look="primary" className="mt-6" disabled={create.isPending}>
        {create.isPending ? 'Saving' : 'Take a snapshot'}
      </Button>
    </form>
  )
}
