import { randomBytes } from 'node:crypto'
import type { LoggedEvent } from '@sandglass/protocol'

/** Standard Webhooks recommends bodies below 20 kB, because some receivers refuse larger ones. */
export const maxBodyBytes = 20_000
const maxReasonLength = 1000

/** What is sent to a webhook. */
export interface Message {
  /** The webhook-id header, by which a receiver recognises a message that it has already received. */
  readonly id: string
  readonly type: string
  /** Messages about the same subject are sent in order. */
  readonly subject: string
  readonly body: string
}

/**
 * Makes the message of an event. Data that would make it too large is left out: the receiver can read the event from the log by
 * its id.
 */
export function messageOf(event: LoggedEvent): Message {
  const { id, type, subject, time, reason } = event
  const whole = bodyOf(type, time, event)
  const body =
    Buffer.byteLength(whole) < maxBodyBytes
      ? whole
      : bodyOf(type, time, {
          ...event,
          data: {},
          reason: reason?.slice(0, maxReasonLength) ?? null,
          truncated: true,
        })
  return { id, type, subject, body }
}

/** Makes a message by which people see whether a webhook works. It is no event. */
export function testMessage(webhookId: string, nowMs: number): Message {
  const type = 'webhook.test'
  const body = bodyOf(type, new Date(nowMs).toISOString(), { webhookId })
  return { id: `msg_${randomBytes(12).toString('hex')}`, type, subject: webhookId, body }
}

/** Whether a webhook with these filters receives events of a type. Null stands for all types. */
export function isWanted(types: readonly string[] | null, type: string): boolean {
  return (
    types === null ||
    types.some(filter => (filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter))
  )
}

function bodyOf(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data })
}
