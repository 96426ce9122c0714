import type { Sandbox } from '@sandglass/protocol'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { labelsText, parseLabels } from '../../../sandbox/labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input, TextArea } from '../../../ui/input.tsx'
import { ErrorNote } from '../../../ui/notes.tsx'
import { problemsOf } from '../../../ui/problems.ts'

/** Changes the name and the labels of a sandbox. */
export function EditDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const update = useChange('updateSandbox', ['getSandbox', 'listSandboxes'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = { name: String(form.get('name')), labels: parseLabels(String(form.get('labels'))) }
    update.mutate({ sandboxId: sandbox.id, body }, { onSuccess: onClose })
  }
  const problems = problemsOf(update.error)
  const ofLabels = Object.entries(problems).find(([path]) => path.startsWith('labels'))
  return (
    <Dialog title="Name and labels" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        {update.error && Object.keys(problems).length === 0 && <ErrorNote error={update.error} />}
        <Field label="Name" problem={problems['name']}>
          <Input name="name" defaultValue={sandbox.name} autoComplete="off" />
        </Field>
        <Field label="Labels" hint="One per line, as name=value." problem={ofLabels?.[1]}>
          <TextArea name="labels" defaultValue={labelsText(sandbox.labels)} spellCheck={false} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={update.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
