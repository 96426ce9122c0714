import type { Sandbox } from '@sandglass/protocol'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { LifetimeSelect } from '../../../sandbox/lifetimes.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { messageOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'

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
          problem={extend.error ? messageOf(extend.error) : undefined}
        >
          <LifetimeSelect name="lifetime" defaultValue={3600} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={extend.isPending}>
            Extend
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
