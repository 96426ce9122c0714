import type { Sandbox } from '@sandglass/protocol'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormEnd } from '../../../ui/form-end.tsx'
import { Input, TextArea } from '../../../ui/input.tsx'
import { problemsOf } from '../../../ui/problems.ts'
import { pairsOf } from '../../create/choices.ts'

/** Changes the name and the labels of a sandbox. */
export function EditDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const update = useChange('updateSandbox', ['getSandbox', 'listSandboxes'])
  const labels = Object.entries(sandbox.labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = { name: String(form.get('name')), labels: pairsOf(String(form.get('labels'))) }
    update.mutate({ sandboxId: sandbox.id, body }, { onSuccess: onClose })
  }
  const problems = problemsOf(update.error)
  const ofLabels = Object.entries(problems).find(([path]) => path.startsWith('labels'))
  return (
    <Dialog title="Name and labels" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <Field label="Name" problem={problems['name']}>
          <Input name="name" defaultValue={sandbox.name} autoComplete="off" />
        </Field>
        <Field label="Labels" hint="One per line, as name=value." problem={ofLabels?.[1]}>
          <TextArea name="labels" defaultValue={labels} spellCheck={false} />
        </Field>
        <FormEnd action="Save" change={update} onClose={onClose} />
      </form>
    </Dialog>
  )
}
