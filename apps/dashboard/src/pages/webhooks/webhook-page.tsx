import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { OnceShown } from '../../ui/once-shown.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { When } from '../../ui/times.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhooks-page.tsx'

/** A webhook with what was sent to it. */
export function WebhookPage() {
  const { webhookId } = useParams({ from: '/signed-in/webhooks/$webhookId' })
  const navigate = useNavigate()
  const { data: webhook, error } = useQuery(useCall('getWebhook', { webhookId }))
  const [task, setTask] = useState<'edit' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const update = useChange('updateWebhook', ['getWebhook', 'listWebhooks'])
  const rotate = useChange('rotateWebhookSecret', ['getWebhook'])
  const send = useChange('testWebhook', ['listWebhookDeliveries'])
  const remove = useChange('deleteWebhook', ['listWebhooks'])
  const problem = update.error ?? rotate.error ?? send.error
  if (error) return <ErrorNote error={error} />
  if (!webhook) return <Loading />
  return (
    <Page
      title="Webhook"
      about={webhook.url}
      actions={
        <>
          <Button disabled={send.isPending} onClick={() => send.mutate({ webhookId })}>
            Send a test
          </Button>
          <Button onClick={() => setTask('edit')}>Change</Button>
          <Button onClick={() => update.mutate({ webhookId, body: { enabled: !webhook.enabled } })}>
            {webhook.enabled ? 'Switch off' : 'Switch on'}
          </Button>
          <Button
            onClick={() => rotate.mutate({ webhookId }, { onSuccess: rotated => setSecret(rotated.secret) })}
          >
            New secret
          </Button>
          <Button look="danger" onClick={() => setTask('delete')}>
            Delete
          </Button>
        </>
      }
    >
      {problem && <ErrorNote error={problem} />}
      <Panel className="flex flex-wrap items-center gap-3">
        <WebhookState webhook={webhook} />
        <span>Events: {webhook.types?.join(', ') ?? 'all'}</span>
        {webhook.failingSince && (
          <span>
            Failing since <When at={webhook.failingSince} />
          </span>
        )}
        {webhook.previousSecretUntil && (
          <span>
            Also signed with the previous secret until <When at={webhook.previousSecretUntil} />
          </span>
        )}
      </Panel>
      <Deliveries webhookId={webhookId} />
      {task === 'edit' && <WebhookForm webhook={webhook} onClose={() => setTask(undefined)} />}
      <Confirm
        title="Delete this webhook?"
        about="Its deliveries are forgotten too."
        action="Delete"
        isOpen={task === 'delete'}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setTask(undefined)}
        onConfirm={() =>
          remove.mutate({ webhookId }, { onSuccess: () => void navigate({ to: '/webhooks' }) })
        }
      />
      <OnceShown title="The new secret" secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}
