import type { WebhookDelivery } from '@sandglass/protocol'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { clientOf } from '../../app/client.ts'
import { useOrgId } from '../../app/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'

const looks = { pending: 'info', delivered: 'good', failed: 'wrong' } as const

/** What was sent to a webhook, newest first. It is read again while the page is shown. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const orgId = useOrgId()
  const [open, setOpen] = useState<string>()
  const again = useChange('redeliverWebhookDelivery', ['listWebhookDeliveries'])
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['listWebhookDeliveries', orgId, webhookId],
    queryFn: ({ pageParam, signal }) =>
      clientOf(orgId).listWebhookDeliveries(
        { webhookId, limit: 50, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 3000,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const deliveries = data.pages.flatMap(page => page.deliveries)
  if (deliveries.length === 0) return <Empty title="Nothing was sent yet." />
  return (
    <>
      {again.error && <ErrorNote error={again.error} />}
      <Table
        label="Deliveries"
        rows={deliveries}
        idOf={({ id }) => id}
        columns={[
          { title: 'Event', cell: ({ type }) => <span className="font-medium">{type}</span> },
          { title: 'State', cell: ({ status }) => <Badge look={looks[status]}>{status}</Badge> },
          { title: 'Answer', cell: answerOf },
          { title: 'Attempts', isExtra: true, isNumber: true, cell: ({ attempts }) => attempts },
          { title: 'When', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            title: 'Actions',
            cell: ({ id }) => (
              <div className="flex gap-1">
                <Button size="small" onClick={() => setOpen(id)}>
                  Details
                </Button>
                <Button size="small" onClick={() => again.mutate({ webhookId, deliveryId: id })}>
                  Send again
                </Button>
              </div>
            ),
          },
        ]}
      />
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Older</Button>}
      {open && <Delivery webhookId={webhookId} deliveryId={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function answerOf({ lastStatus, lastError }: WebhookDelivery): string {
  return lastError ?? (lastStatus === null ? '' : String(lastStatus))
}

function Delivery({
  webhookId,
  deliveryId,
  onClose,
}: {
  webhookId: string
  deliveryId: string
  onClose: () => void
}) {
  const { data, error } = useQuery(useCall('getWebhookDelivery', { webhookId, deliveryId }))
  return (
    <Dialog title="Delivery" isOpen isWide onClose={onClose}>
      {error && <ErrorNote error={error} />}
      {data && (
        <div className="flex flex-col gap-3">
          <Code label="Request" text={`${headersOf(data.request.headers)}\n\n${data.request.body}`} />
          {data.responses.map(({ at, status, error: failure, durationMs, body }) => (
            <Code
              key={at}
              label={`${status ?? failure ?? 'No answer'} after ${durationMs} ms`}
              text={body || failure || 'The answer was empty.'}
            />
          ))}
        </div>
      )}
    </Dialog>
  )
}

function headersOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
