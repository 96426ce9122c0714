import type { Sandbox } from '@sandglass/protocol'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormEnd } from '../../../ui/form-end.tsx'
import { problemsOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'
import { LifetimeSelect } from '../lifetime-select.tsx'

/** Moves the end of a sandbox. */
export function ExtendDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const extend = useChange('extendSandbox', ['getSandbox', 'listSandboxes'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const maxLifeSeconds = Number(new FormData(event.currentTarget).get('lifetime'))
    extend.mutate(
      { sandboxId: sandbox.id, body: { maxLifeSeconds } },
      {
        onSuccess: () => {
          toast('The end was moved.')
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title="Extend the sandbox"
      about="A sandbox can live for 13 days at most."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="It goes on for"
          hint="Counted from now."
          problem={problemsOf(extend.error)['maxLifeSeconds']}
        >
          <LifetimeSelect name="lifetime" defaultValue={3600} />
        </Field>
        <FormEnd action="Extend" change={extend} onClose={onClose} />
      </form>
    </Dialog>
  )
}
