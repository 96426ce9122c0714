import type { KeyObject } from 'node:crypto'
import { ApiError, type WebhookAttempt } from '@sandglass/protocol'
import type { DatabaseClock } from '../../../db/clock.ts'
import type { Outbound, Posted } from '../../../outbound/outbound.ts'
import type { Message } from './message.ts'
import { retryAfterMs } from './retry-schedule.ts'
import { signatureOf } from './signature.ts'

/** The headers of every request besides those of Standard Webhooks. */
export const constantHeaders = { 'content-type': 'application/json' }

/** How much of a response is kept, so that people can see why it failed. */
const maxResponseBytes = 1024
const maxTypeLength = 200

/** An attempt, with what it means for later ones. */
export interface SentAttempt {
  readonly attempt: WebhookAttempt
  /** The delay that the endpoint asked for. */
  readonly retryAfterMs?: number | undefined
}

export interface Destination {
  readonly url: string
  readonly keys: readonly KeyObject[]
}

/** Sends messages. An attempt never throws; what went wrong is in its result. */
export class Sender {
  readonly #outbound: Outbound
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #timeoutMs: number

  constructor(outbound: Outbound, clock: Pick<DatabaseClock, 'now'>, timeoutMs: number) {
    this.#outbound = outbound
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  async send({ url, keys }: Destination, { id, body }: Omit<Message, 'type'>): Promise<SentAttempt> {
    const startedMs = this.#clock.now()
    const timestamp = Math.floor(startedMs / 1000)
    const headers = {
      ...constantHeaders,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(keys, { id, timestamp, body }),
    }
    const at = new Date(startedMs).toISOString()
    if (keys.length === 0) return { attempt: { at, durationMs: 0, ...noAnswer, error: lostSecret } }
    const from = performance.now()
    const sinceStart = () => Math.round(performance.now() - from)
    try {
      const options = { headers, timeoutMs: this.#timeoutMs, maxBytes: maxResponseBytes }
      const posted = await this.#outbound.post(url, body, options)
      return this.#answered(posted, { at, durationMs: sinceStart() })
    } catch (error) {
      const message = error instanceof ApiError ? error.message : 'The request failed.'
      return { attempt: { at, durationMs: sinceStart(), ...noAnswer, error: message } }
    }
  }

  #answered(
    { status, headers, body }: Posted,
    times: Pick<WebhookAttempt, 'at' | 'durationMs'>,
  ): SentAttempt {
    const type = headers['content-type']
    const isSuccess = status >= 200 && status < 300
    return {
      attempt: {
        ...times,
        status,
        error: isSuccess ? null : problemOf(status),
        contentType: typeof type === 'string' ? storable(type.slice(0, maxTypeLength)) : null,
        body: storable(body.toString()),
      },
      ...(!isSuccess && { retryAfterMs: retryAfterMs(headers['retry-after'], this.#clock.now()) }),
    }
  }
}

const noAnswer = { status: null, contentType: null, body: '' }
const lostSecret =
  'The secret of the webhook was encrypted with a secret key that the service no longer has. Rotate the secret.'

function problemOf(status: number): string {
  return status >= 300 && status < 400
    ? `The endpoint answered ${status}, a redirect, which webhooks do not follow.`
    : `The endpoint answered ${status}.`
}

/** PostgreSQL stores no zero bytes in texts. */
function storable(text: string): string {
  return text.replaceAll('\0', '')
}
