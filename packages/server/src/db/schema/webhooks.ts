import type { Webhook, WebhookAttempt, WebhookDelivery } from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Written } from './columns.ts'

export interface WebhookTable {
  id: Written<string>
  org_id: Written<string>
  url: string
  description: string
  /** Null for all types of events. */
  types: string[] | null
  enabled: Generated<boolean>
  /** Null while it is enabled. */
  disabled_reason: ColumnType<Webhook['disabledReason'], undefined, Webhook['disabledReason']>
  /** The secret, and the one before the last rotation, encrypted. */
  sealed_secrets: string
  previous_until: ColumnType<Date | null, undefined, Date | null>
  /** The last event that has a delivery, or that was passed over because of its type. */
  position: string
  number: string
  failing_since: ColumnType<Date | null, undefined, Date | null>
  /** Nothing is sent before this time, because the endpoint asked for it. */
  not_before: ColumnType<Date | null, undefined, Date | null>
  /** The node that sends its messages, until the lease ends. */
  leased_by: ColumnType<string | null, undefined, string | null>
  leased_until: Generated<Date>
  created_at: CreatedAt
}

export interface WebhookDeliveryTable {
  id: Generated<string>
  webhook_id: Written<string>
  /** The id of the event. */
  message_id: Written<string>
  type: Written<string>
  subject: Written<string>
  body: Written<string>
  status: Generated<WebhookDelivery['status']>
  /** When to send it, if it is pending. */
  due_at: Generated<Date>
  /** The attempts since it was created or redelivered, which decide how long to wait for the next. */
  tries: Generated<number>
  /** All attempts. */
  attempts: Generated<number>
  /** What came back from the last attempts, oldest first. */
  responses: ColumnType<WebhookAttempt[], undefined, string>
  created_at: CreatedAt
}
