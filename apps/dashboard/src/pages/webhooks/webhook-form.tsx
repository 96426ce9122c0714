import type { Webhook } from '@sandglass/protocol'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

/** Makes a webhook, or changes one. */
export function WebhookForm({
  webhook,
  onClose,
  onCreated,
}: {
  webhook?: Webhook
  onClose: () => void
  onCreated?: (secret: string | undefined) => void
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [types, setTypes] = useState(webhook?.types?.join(', ') ?? '')
  const create = useChange('createWebhook', ['listWebhooks'])
  const update = useChange('updateWebhook', ['listWebhooks', 'getWebhook'])
  const change = webhook ? update : create
  const problems = problemsOf(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = types.split(/[\s,]+/).filter(Boolean)
    const body = { url, description, types: wanted.length > 0 ? wanted : null }
    if (webhook) update.mutate({ webhookId: webhook.id, body }, { onSuccess: onClose })
    else create.mutate({ body }, { onSuccess: ({ secret }) => onCreated?.(secret) })
  }
  return (
    <Dialog title={webhook ? 'Change the webhook' : 'New webhook'} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="URL" problem={problems['url']}>
          <Input
            type="text"
            inputMode="url"
            placeholder="https://example.com/hook"
            value={url}
            onChange={event => setUrl(event.target.value)}
          />
        </Field>
        <Field
          label="Events"
          hint="Types such as sandbox.created or sandbox.*, separated by commas. If it is empty, all."
          problem={
            problems['types'] ?? Object.entries(problems).find(([path]) => path.startsWith('types.'))?.[1]
          }
        >
          <Input value={types} onChange={event => setTypes(event.target.value)} />
        </Field>
        <Field label="Description" problem={problems['description']}>
          <Input value={description} onChange={event => setDescription(event.target.value)} />
        </Field>
        <FormEnd action={webhook ? 'Save' : 'Create'} change={change} onClose={onClose} />
      </form>
    </Dialog>
  )
}
