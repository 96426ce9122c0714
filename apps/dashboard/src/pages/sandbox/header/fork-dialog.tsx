import type { Sandbox } from '@sandglass/protocol'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { LifetimeSelect } from '../../../sandbox/lifetimes.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { ErrorNote } from '../../../ui/notes.tsx'
import { problemsOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'

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
        {fork.error && Object.keys(problems).length === 0 && <ErrorNote error={fork.error} />}
        <Field label="How many" problem={problems['count']}>
          <Input name="count" type="number" min={1} max={20} defaultValue={1} />
        </Field>
        <Field label="Name" problem={problems['name']}>
          <Input name="name" defaultValue={`${sandbox.name} (fork)`.slice(0, 100)} autoComplete="off" />
        </Field>
        <Field label="Lifetime" problem={problems['maxLifeSeconds']}>
          <LifetimeSelect name="lifetime" defaultValue={3600} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={fork.isPending}>
            {fork.isPending ? 'Forking' : 'Fork'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
