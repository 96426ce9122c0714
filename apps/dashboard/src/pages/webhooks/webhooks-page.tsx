import type { Webhook } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { OnceShown } from '../../ui/once-shown.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function WebhooksPage() {
  const { data, error } = useQuery(useCall('listWebhooks'))
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <Page
      title="Webhooks"
      about="Addresses of yours that are called for every event."
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Plus />
          New webhook
        </Button>
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty title="No webhooks yet." />}
      {data && data.length > 0 && (
        <Table
          label="Webhooks"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            {
              title: 'URL',
              cell: ({ id, url, description }) => (
                <>
                  <Link
                    to="/webhooks/$webhookId"
                    params={{ webhookId: id }}
                    className="font-medium break-all underline"
                  >
                    {url}
                  </Link>
                  {description && <p className="text-[13px] text-quiet">{description}</p>}
                </>
              ),
            },
            { title: 'Events', isExtra: true, cell: ({ types }) => types?.join(', ') ?? 'all' },
            { title: 'State', cell: webhook => <WebhookState webhook={webhook} /> },
          ]}
        />
      )}
      {isMaking && (
        <WebhookForm
          onClose={() => setMaking(false)}
          onCreated={made => {
            setMaking(false)
            setSecret(made)
          }}
        />
      )}
      <OnceShown
        title="The secret that signs messages"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </Page>
  )
}

const whyDisabled = {
  requested: 'switched off',
  gone: 'off: the address answered that it is gone',
  failing: 'off: every attempt of three days failed',
}

export function WebhookState({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!enabled) return <Badge>{disabledReason ? whyDisabled[disabledReason] : 'off'}</Badge>
  return failingSince ? <Badge look="warn">failing</Badge> : <Badge look="good">on</Badge>
}
