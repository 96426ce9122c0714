import type { LiveScope } from '@sandglass/protocol'
import { Send } from 'lucide-react'
import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { useMay } from '../../../app/rights.ts'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/copy.tsx'
import { Field } from '../../../ui/field.tsx'
import { ErrorNote } from '../../../ui/notes.tsx'
import { LifetimeSelect } from '../lifetime-select.tsx'
import { scopeTitles } from './scopes.ts'

/** Makes a link with chosen rights and lifetime. The link is shown once. */
export function NewInvitation({ sandboxId }: { sandboxId: string }) {
  const create = useChange('createLiveInvitation', ['listLiveInvitations'])
  const mayGive = useMay('member')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const scope: LiveScope[] = ['view', ...scopeTitles.map(([name]) => name).filter(name => form.has(name))]
    create.mutate({ sandboxId, body: { scope, lifetimeSeconds: Number(form.get('lifetime')) } })
  }
  const url = create.data?.url
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {mayGive && (
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium">Besides watching, the person may</legend>
          {scopeTitles.map(([name, title]) => (
            <label key={name} className="flex items-center gap-2 py-0.5">
              <input type="checkbox" name={name} className="size-4 accent-accent" />
              {title}
            </label>
          ))}
        </fieldset>
      )}
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-44">
          <Field label="Valid for">
            <LifetimeSelect name="lifetime" defaultValue={3600} />
          </Field>
        </div>
        <Button type="submit" look="primary" disabled={create.isPending}>
          <Send />
          Create an invitation
        </Button>
      </div>
      {create.error && <ErrorNote error={create.error} />}
      {url !== undefined && (
        <div role="status" className="flex flex-col gap-1">
          <p>Send this link to the person. It is not shown again.</p>
          <Code label="Invitation" text={url} />
        </div>
      )}
    </form>
  )
}
