import { z } from 'zod'
import { operation } from './operation.ts'
import { Description } from './text.ts'
import { Time } from './time.ts'

/** Selects events by their type: one type, or all types that begin with the same words. */
const TypeFilter = z
  .string()
  .max(100)
  .regex(
    /^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)*(\.\*)?$/,
    'must be a type such as sandbox.created, or sandbox.* for all types that begin with sandbox.',
  )

const url = z
  .string()
  .min(1)
  .max(2000)
  .describe(
    'An http or https URL without credentials. The service calls public networks only, and those that the operator allowed.',
  )
const types = z
  .array(TypeFilter)
  .min(1)
  .max(50)
  .nullable()
  .describe('The types of events to send, such as sandbox.created or sandbox.*; null means all.')

/** An address of the organization's own that the service calls for every event. */
export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    types,
    enabled: z.boolean(),
    disabledReason: z
      .enum(['requested', 'gone', 'failing'])
      .nullable()
      .describe(
        'Why no events are sent: requested, by updateWebhook; gone, because the endpoint answered 410; or failing, because every attempt of three days failed. null while it is enabled.',
      ),
    failingSince: Time.nullable().describe('When the attempts began to fail; null after a success.'),
    previousSecretUntil: Time.nullable().describe(
      'Until when messages are also signed with the secret before the last rotation; null if they are not.',
    ),
    createdAt: Time,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

const secret = z
  .string()
  .optional()
  .describe(
    'The secret that signs messages. Shown only once; omitted if the response is repeated because of an Idempotency-Key.',
  )

/** The response to creating a webhook or rotating its secret; the only ones that contain the secret. */
export const WebhookWithSecret = Webhook.extend({ secret }).meta({ id: 'WebhookWithSecret' })
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

export const CreateWebhookRequest = z.object({
  url,
  description: Description.default('').describe('What it is for, for people.'),
  types: types.default(null),
})
export type CreateWebhookRequest = z.infer<typeof CreateWebhookRequest>

/** The body of updateWebhook. Fields that are omitted stay as they are. */
export const UpdateWebhookRequest = z
  .object({
    url,
    description: Description.describe('What it is for, for people.'),
    types,
    enabled: z
      .boolean()
      .describe(
        'A disabled webhook keeps its position. When it is enabled again it continues there, as far back as the event log reaches.',
      ),
  })
  .partial()
export type UpdateWebhookRequest = z.infer<typeof UpdateWebhookRequest>

const webhooks = '/api/orgs/{orgId}/webhooks'
const webhook = `${webhooks}/{webhookId}` as const
const tag = 'Webhooks'
// The URLs of webhooks often contain a credential of their own, so only admins see them.
const admin = { to: 'organization', role: 'admin' } as const

export const createWebhook = operation({
  id: 'createWebhook',
  tag,
  summary: 'Create a webhook, which receives the events of the organization from now on.',
  method: 'POST',
  path: webhooks,
  access: admin,
  body: CreateWebhookRequest,
  response: WebhookWithSecret,
  creates: true,
  secrets: ['secret'],
  addition: true,
  examples: [{ body: { url: '{webhookUrl}', types: ['sandbox.*'] } }],
  errors: ['webhook.TOO_MANY', 'outbound.INVALID', 'outbound.FORBIDDEN'],
})

export const listWebhooks = operation({
  id: 'listWebhooks',
  tag,
  summary: 'List the webhooks of the organization.',
  method: 'GET',
  path: webhooks,
  access: admin,
  response: z.array(Webhook),
  addition: true,
})

export const getWebhook = operation({
  id: 'getWebhook',
  tag,
  summary: 'Get a webhook.',
  method: 'GET',
  path: webhook,
  access: admin,
  response: Webhook,
  addition: true,
  errors: ['webhook.NOT_FOUND'],
})

export const updateWebhook = operation({
  id: 'updateWebhook',
  tag,
  summary: 'Change a webhook, or disable and enable it.',
  method: 'PATCH',
  path: webhook,
  access: admin,
  body: UpdateWebhookRequest,
  response: Webhook,
  addition: true,
  examples: [{ body: { description: 'For the team' } }],
  errors: ['webhook.NOT_FOUND', 'outbound.INVALID', 'outbound.FORBIDDEN'],
})

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  tag,
  summary: 'Delete a webhook and its deliveries.',
  method: 'DELETE',
  path: webhook,
  access: admin,
  addition: true,
  errors: ['webhook.NOT_FOUND'],
})

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  tag,
  summary: 'Give a webhook a new secret. For a day, messages are signed with the previous one as well.',
  method: 'POST',
  path: `${webhook}/secret/rotate`,
  access: admin,
  response: WebhookWithSecret,
  creates: true,
  secrets: ['secret'],
  addition: true,
  errors: ['webhook.NOT_FOUND'],
})
