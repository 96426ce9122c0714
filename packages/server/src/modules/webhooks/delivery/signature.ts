import { createHmac, type KeyObject } from 'node:crypto'

/** The parts of a request that a signature covers. */
export interface Signed {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** Returns the webhook-signature header of Standard Webhooks: one signature per key, separated by spaces. */
export function signatureOf(keys: readonly KeyObject[], { id, timestamp, body }: Signed): string {
  const content = `${id}.${timestamp}.${body}`
  return keys.map(key => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ')
}
