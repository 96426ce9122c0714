import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** One request of a delivery, and what came back. */
export const WebhookAttempt = z
  .object({
    at: Time,
    durationMs: z.int(),
    status: z.int().nullable().describe('The HTTP status of the response; null if there was none.'),
    error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
    contentType: z.string().nullable(),
    body: z.string().describe('The first 1024 bytes of the response.'),
  })
  .meta({ id: 'WebhookAttempt' })
export type WebhookAttempt = z.infer<typeof WebhookAttempt>

/** A message to a webhook. It is sent until the endpoint accepts it, or until there were ten attempts. */
export const WebhookDelivery = z
  .object({
    id: z.string(),
    messageId: z
      .string()
      .describe('The webhook-id header: the id of the event. It is the same in every attempt.'),
    type: z.string(),
    subject: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int().describe('How often it was sent.'),
    lastStatus: z.int().nullable().describe('The HTTP status of the last response; null if there was none.'),
    lastError: z.string().nullable(),
    nextAttemptAt: Time.nullable().describe('null unless it is pending.'),
    createdAt: Time,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

/** A delivery with its request and its responses. */
export const WebhookDeliveryDetails = WebhookDelivery.extend({
  request: z.object({
    headers: z
      .record(z.string(), z.string())
      .describe('Without the timestamp and the signature, which each attempt has of its own.'),
    body: z.string(),
  }),
  responses: z.array(WebhookAttempt).describe('The last 20 attempts, oldest first.'),
}).meta({ id: 'WebhookDeliveryDetails' })
export type WebhookDeliveryDetails = z.infer<typeof WebhookDeliveryDetails>

/** Which deliveries to list. All given fields must match. */
export const WebhookDeliveryFilter = z.object({
  status: WebhookDelivery.shape.status.optional().describe('Only deliveries in this status.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('The length of a page.'),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'must be a nextCursor from an earlier response')
    .optional()
    .describe('The nextCursor of the page before.'),
})
export type WebhookDeliveryFilter = z.infer<typeof WebhookDeliveryFilter>

const webhook = '/api/orgs/{orgId}/webhooks/{webhookId}'
const delivery = `${webhook}/deliveries/{deliveryId}` as const
const tag = 'Webhooks'
const admin = { to: 'organization', role: 'admin' } as const

export const testWebhook = operation({
  id: 'testWebhook',
  tag,
  summary: 'Send a message of the type webhook.test. Its outcome is among the deliveries.',
  method: 'POST',
  path: `${webhook}/test`,
  access: admin,
  response: WebhookDelivery,
  creates: true,
  addition: true,
  errors: ['webhook.NOT_FOUND', 'webhook.DISABLED'],
})

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  tag,
  summary: 'List the deliveries to a webhook.',
  method: 'GET',
  path: `${webhook}/deliveries`,
  access: admin,
  query: WebhookDeliveryFilter,
  response: z.object({
    deliveries: z.array(WebhookDelivery).describe('Newest first.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as cursor to get older deliveries; null if there are none.'),
  }),
  addition: true,
  errors: ['webhook.NOT_FOUND'],
})

export const getWebhookDelivery = operation({
  id: 'getWebhookDelivery',
  tag,
  summary: 'Get a delivery with its request and its responses.',
  method: 'GET',
  path: delivery,
  access: admin,
  response: WebhookDeliveryDetails,
  addition: true,
  errors: ['webhook.NOT_FOUND', 'delivery.NOT_FOUND'],
})

export const redeliverWebhookDelivery = operation({
  id: 'redeliverWebhookDelivery',
  tag,
  summary: 'Send a message again, whatever became of it. It keeps its webhook-id.',
  method: 'POST',
  path: `${delivery}/redeliver`,
  access: admin,
  response: WebhookDelivery,
  addition: true,
  errors: ['webhook.NOT_FOUND', 'webhook.DISABLED', 'delivery.NOT_FOUND'],
})
