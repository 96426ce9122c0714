import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { deliveryDetailsOf, deliveryOf, selectDeliveries, selectDelivery } from './delivery-store.ts'
import { isDeliveryId, type RowWithSecret, requireWebhook, type WebhookService } from './service.ts'
import { deleteWebhookRow, selectWebhook, selectWebhooks, type WebhookRow, webhookOf } from './store.ts'

export function serveWebhooks(api: Api, db: Database, webhooks: WebhookService): void {
  const shown = (row: WebhookRow) => webhookOf(row, webhooks.now())
  const shownOnce = ({ row, secret }: RowWithSecret) => ({ ...shown(row), secret })
  const find = async ({ orgId, webhookId }: { orgId: string; webhookId: string }) => {
    const row = await selectWebhook(db, orgId, webhookId)
    if (!row) throw new ApiError('webhook.NOT_FOUND')
    return row
  }

  api.serve(protocol.listWebhooks, async ({ params }) => (await selectWebhooks(db, params.orgId)).map(shown))

  api.serve(protocol.createWebhook, ({ params, body, change }) =>
    change(async tx => {
      const created = await webhooks.create(tx, params.orgId, body)
      return { answer: shownOnce(created), target: created.row.id }
    }),
  )

  api.serve(protocol.getWebhook, async ({ params }) => shown(await find(params)))

  api.serve(protocol.updateWebhook, ({ params, body, change }) =>
    change(async tx => {
      const row = await webhooks.update(tx, params.orgId, params.webhookId, body)
      return { answer: shown(row), target: row.id }
    }),
  )

  api.serve(protocol.deleteWebhook, ({ params, change }) =>
    change(async tx => {
      const { id } = await requireWebhook(tx, params.orgId, params.webhookId)
      await deleteWebhookRow(tx, id)
      return { answer: undefined, target: id }
    }),
  )

  api.serve(protocol.rotateWebhookSecret, ({ params, change }) =>
    change(async tx => {
      const rotated = await webhooks.rotate(tx, params.orgId, params.webhookId)
      return { answer: shownOnce(rotated), target: rotated.row.id }
    }),
  )

  api.serve(protocol.testWebhook, ({ params, change }) =>
    change(async tx => {
      const row = await webhooks.test(tx, params.orgId, params.webhookId)
      return { answer: deliveryOf(row), target: params.webhookId }
    }),
  )

  api.serve(protocol.listWebhookDeliveries, async ({ params, query }) => {
    const { id } = await find(params)
    const rows = await selectDeliveries(db, id, query)
    const last = rows.length === query.limit ? rows.at(-1) : undefined
    return { deliveries: rows.map(deliveryOf), nextCursor: last?.id ?? null }
  })

  api.serve(protocol.getWebhookDelivery, async ({ params }) => {
    const { id } = await find(params)
    const row = isDeliveryId(params.deliveryId) ? await selectDelivery(db, id, params.deliveryId) : undefined
    if (!row) throw new ApiError('delivery.NOT_FOUND')
    return deliveryDetailsOf(row)
  })

  api.serve(protocol.redeliverWebhookDelivery, ({ params, change }) =>
    change(async tx => {
      const row = await webhooks.redeliver(tx, params.orgId, params.webhookId, params.deliveryId)
      return { answer: deliveryOf(row), target: params.webhookId }
    }),
  )
}
