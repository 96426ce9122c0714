import type { Sandbox } from '@sandglass/protocol'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormEnd } from '../../../ui/form-end.tsx'
import { Input } from '../../../ui/input.tsx'
import { problemsOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'
import { KeepMemory, memoryIn } from '../keep-memory.tsx'
import { LifetimeSelect } from '../lifetime-select.tsx'

/** Creates sandboxes whose disks start as the disk of this one is now. */
export function ForkDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const fork = useChange('forkSandbox', ['listSandboxes'])
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = {
      count: Number(form.get('count')),
      name: String(form.get('name')),
      maxLifeSeconds: Number(form.get('lifetime')),
      ...memoryIn(form),
    }
    fork.mutate(
      { sandboxId: sandbox.id, body },
      {
        onSuccess: ({ results }) => {
          const made = results.flatMap(result => ('sandbox' in result ? [result.sandbox] : []))
          const failed = results.flatMap(result => ('error' in result ? [result.error.message] : []))
          if (failed[0] !== undefined)
            toast(`${failed.length} could not be created. ${failed[0]}`, { isProblem: true })
          onClose()
          const [first] = made
          if (made.length === 1 && first)
            void navigate({ to: '/sandboxes/$sandboxId', params: { sandboxId: first.id } })
          else if (made.length > 1) void navigate({ to: '/' })
        },
      },
    )
  }
  const problems = problemsOf(fork.error)
  return (
    <Dialog
      title="Fork the sandbox"
      about="The disk is copied as it is now. Programs start anew in the copies."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <Field label="How many" problem={problems['count']}>
          <Input name="count" type="number" min={1} max={20} defaultValue={1} />
        </Field>
        <Field label="Name" problem={problems['name']}>
          <Input name="name" defaultValue={`${sandbox.name} (fork)`.slice(0, 100)} autoComplete="off" />
        </Field>
        <Field label="Lifetime" problem={problems['maxLifeSeconds']}>
          <LifetimeSelect name="lifetime" defaultValue={3600} />
        </Field>
        <KeepMemory sandbox={sandbox} />
        <FormEnd action={fork.isPending ? 'Forking' : 'Fork'} change={fork} onClose={onClose} />
      </form>
    </Dialog>
  )
}
