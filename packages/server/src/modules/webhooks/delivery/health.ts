import { sql } from 'kysely'
import type { DatabaseClock } from '../../../db/clock.ts'
import type { Database } from '../../../db/database.ts'
import { transact } from '../../../db/transact.ts'
import { appendEvent } from '../../../events/append.ts'
import type { SentAttempt } from './send.ts'
import type { LeasedWebhook } from './work-store.ts'

/** An endpoint whose attempts have all failed for this long is disabled. It is a little less than all retries of a message take. */
const maxFailingMs = 3 * 24 * 3_600_000
const gone = 410
/**
 * The concurrent requests to one endpoint: how many there are at first, and the most there can be. Each success allows one more, and
 * after a failure there is one at a time until one succeeds. Endpoints that hang therefore hold few of the connections that all share.
 */
const firstRequests = 2
const maxRequests = 32

export type DisabledReason = 'gone' | 'failing'

type HealthColumns = Pick<LeasedWebhook, 'failing_since' | 'not_before'>

/** Whether the endpoint of a webhook works, by the attempts of this process and what the database knows of earlier ones. */
export class EndpointHealth {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #webhookId: string
  #allowed = firstRequests
  #failingSince: Date | null = null
  #notBefore: Date | null = null

  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, webhookId: string) {
    this.#db = db
    this.#clock = clock
    this.#webhookId = webhookId
  }

  /** How many requests the endpoint may have at once. */
  get maxRequests(): number {
    return this.#failingSince ? 1 : this.#allowed
  }

  /** Whether the endpoint asked to be left alone for now. */
  get isPaused(): boolean {
    return (this.#notBefore?.getTime() ?? 0) > this.#clock.now()
  }

  learn({ failing_since, not_before }: HealthColumns): void {
    this.#failingSince = failing_since
    this.#notBefore = not_before
  }

  /** Returns why the webhook is to be disabled after an attempt, or undefined if it is not. */
  reasonToDisable({ attempt: { status, error } }: SentAttempt): DisabledReason | undefined {
    if (error === null) return undefined
    if (status === gone) return 'gone'
    const failingMs = this.#failingSince ? this.#clock.now() - this.#failingSince.getTime() : 0
    return failingMs >= maxFailingMs ? 'failing' : undefined
  }

  /** Takes in an attempt. */
  async note({ attempt: { error }, retryAfterMs }: SentAttempt): Promise<void> {
    this.#allowed = error === null ? Math.min(this.#allowed + 1, maxRequests) : firstRequests
    if (error === null) {
      if (this.#failingSince) await this.#record(false)
    } else if (!this.#failingSince || retryAfterMs) await this.#record(true, retryAfterMs)
  }

  async #record(isFailing: boolean, pauseMs?: number): Promise<void> {
    const now = this.#clock.now()
    this.#failingSince = isFailing ? (this.#failingSince ?? new Date(now)) : null
    if (pauseMs !== undefined) this.#notBefore = new Date(now + pauseMs)
    await this.#db
      .updateTable('webhooks')
      .set({
        failing_since: isFailing ? sql<Date>`coalesce(failing_since, now())` : null,
        ...(pauseMs !== undefined && { not_before: this.#notBefore }),
      })
      .where('id', '=', this.#webhookId)
      .execute()
  }

  /** The owner of the webhook is notified by an event. */
  async disable(reason: DisabledReason, lastError: string | null): Promise<void> {
    await transact(this.#db, async tx => {
      const row = await tx
        .updateTable('webhooks')
        .set({ enabled: false, disabled_reason: reason })
        .where('id', '=', this.#webhookId)
        .where('enabled', '=', true)
        .returning(['org_id', 'url'])
        .executeTakeFirst()
      if (!row) return
      await appendEvent(tx, {
        orgId: row.org_id,
        type: 'webhook.disabled',
        subject: this.#webhookId,
        // The rest of the URL may contain a credential.
        data: { reason, origin: new URL(row.url).origin },
        reason: reason === 'gone' ? lastError : `All attempts of three days have failed. ${lastError ?? ''}`,
        actor: { kind: 'service', id: 'webhooks' },
      })
    })
  }
}
