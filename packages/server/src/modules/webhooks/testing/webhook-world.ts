import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { WebhookDelivery, WebhookDeliveryDetails, WebhookWithSecret } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { transact } from '../../../db/transact.ts'
import { appendEvent } from '../../../events/append.ts'
import { type Request, startTestService, type TestService } from '../../../testing/test-service.ts'
import { type Answering, Receiver } from './receiver.ts'

/** A webhook and the endpoint that it sends to. */
export interface Hook {
  readonly id: string
  readonly secret: string
  readonly receiver: Receiver
}

/** A service that may call loopback, with what tests of webhooks do. */
export class WebhookWorld {
  readonly service: TestService

  private constructor(service: TestService) {
    this.service = service
  }

  static async start(): Promise<WebhookWorld> {
    return new WebhookWorld(
      await startTestService({ SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32', SANDGLASS_WEBHOOK_TIMEOUT: '1' }),
    )
  }

  get db(): Database {
    return this.service.pool.db
  }

  async hook(answer?: Answering, fields: object = {}, request: Request = {}): Promise<Hook> {
    const receiver = await Receiver.start(answer)
    const { status, body, text } = await this.service.post(
      '~/webhooks',
      { url: receiver.url, ...fields },
      request,
    )
    assert.equal(status, 200, text)
    const { id, secret = '' }: WebhookWithSecret = body
    return { id, secret, receiver }
  }

  /** Appends one event per subject, each in a transaction of its own. */
  async happen(...subjects: string[]): Promise<void> {
    for (const subject of subjects)
      await transact(this.db, tx =>
        appendEvent(tx, {
          orgId: this.service.orgId,
          type: 'sandbox.extended',
          subject,
          data: { expiresAt: new Date().toISOString() },
        }),
      )
  }

  async deliveries({ id }: Hook, query = ''): Promise<WebhookDelivery[]> {
    const { body } = await this.service.get(`~/webhooks/${id}/deliveries${query}`)
    return body.deliveries
  }

  /** Waits until the newest delivery has had this many attempts, and returns it. */
  async attempted(hook: Hook, attempts: number): Promise<WebhookDeliveryDetails> {
    let newest: WebhookDelivery | undefined
    await waitFor(async () => {
      newest = (await this.deliveries(hook))[0]
      return newest?.attempts === attempts
    })
    const { body } = await this.service.get(`~/webhooks/${hook.id}/deliveries/${newest?.id}`)
    return body
  }

  /**
   * Makes the database believe that time has passed, as far as webhooks are concerned. It is one transaction, because an attempt in
   * between would see a message that is due and a webhook for which no time has passed.
   */
  async pass(interval: string): Promise<void> {
    const earlier = (column: string) => sql`${sql.ref(column)} - ${interval}::interval`
    await transact(this.db, async tx => {
      await sql`UPDATE webhooks SET failing_since = ${earlier('failing_since')}, not_before = ${earlier('not_before')},
        previous_until = ${earlier('previous_until')}`.execute(tx)
      await sql`UPDATE webhook_deliveries SET due_at = ${earlier('due_at')},
        created_at = ${earlier('created_at')}`.execute(tx)
      await sql`SELECT pg_notify('webhook_changes', org_id) FROM webhooks`.execute(tx)
    })
  }
}
