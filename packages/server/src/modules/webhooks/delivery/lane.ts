import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import type { EnvironmentSeal } from '../../../auth/environment-seal.ts'
import type { DatabaseClock } from '../../../db/clock.ts'
import type { Database } from '../../../db/database.ts'
import type { FairShare } from '../../../db/fair-share.ts'
import { eventIdOf } from '../../../events/position.ts'
import { readEvents } from '../../../events/read.ts'
import type { EventTail } from '../../../events/tail.ts'
import { signingKeys } from '../secrets.ts'
import { EndpointHealth } from './health.ts'
import { isWanted, messageOf } from './message.ts'
import type { OutcomeWriter } from './outcome-writer.ts'
import { retryDelayMs } from './retry-schedule.ts'
import type { Sender, SentAttempt } from './send.ts'
import { SubjectQueue } from './subject-queue.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'
import type { DueDelivery, LeasedWebhook, WorkStore } from './work-store.ts'

/** How many messages of an endpoint are in memory at most. The others wait in the database and in the log. */
const maxKnown = 1000

export interface LaneParts {
  readonly db: Database
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly events: EventTail
  readonly seal: EnvironmentSeal
  readonly work: WorkStore
  readonly sender: Sender
  readonly outcomes: OutcomeWriter
  readonly metrics: Pick<WebhookMetrics, 'attempted'>
  /** Shares the connections of the process between organizations. */
  readonly share: FairShare
  readonly log: Logger
  /** Has the webhook claimed again after a delay. */
  readonly wakeAfter: (delayMs: number) => void
  /** Called when there is nothing in memory any more, or the webhook is not this process's any more. */
  readonly onIdle: (lane: Lane) => void
}

/** Sends the messages of one webhook while this process has its lease. */
export class Lane {
  readonly #parts: LaneParts
  readonly #queue = new SubjectQueue<DueDelivery>()
  /** The deliveries in the queue, those that are being sent, and those whose outcome is not recorded yet. */
  readonly #known = new Set<string>()
  readonly #health: EndpointHealth
  #webhook: LeasedWebhook
  /** The id of the last event that has a delivery, or that was passed over because of its type. */
  #position = ''
  #keys: readonly KeyObject[] = []
  #leasedUntil: number
  /** Requests that are under way or wait for their turn, and of these the waiting ones. */
  #requests = 0
  #waiting = 0
  #isFilling = false
  #isFillWanted = false
  #isFull = false
  #isClosed = false
  readonly #ended = Promise.withResolvers<void>()

  /** @param leasedUntil a time of the monotonic clock of this process */
  constructor(parts: LaneParts, webhook: LeasedWebhook, leasedUntil: number) {
    this.#parts = parts
    this.#webhook = webhook
    this.#leasedUntil = leasedUntil
    this.#health = new EndpointHealth(parts.db, parts.clock, webhook.id)
    this.#use(webhook)
  }

  get id(): string {
    return this.#webhook.id
  }

  get orgId(): string {
    return this.#webhook.org_id
  }

  /** Continues with an extended lease. If it had ended, another process may have sent what is in memory here. */
  renew(webhook: LeasedWebhook, leasedUntil: number): void {
    if (performance.now() >= this.#leasedUntil)
      for (const { id } of this.#queue.clear()) this.#known.delete(id)
    this.#leasedUntil = leasedUntil
    this.#use(webhook)
    this.wake()
  }

  /** Reads the webhook again, because it was changed. */
  async refresh(): Promise<void> {
    const webhook = await this.#parts.work.refresh(this.id)
    if (!webhook) return this.close()
    this.#use(webhook)
    this.wake()
  }

  /** Looks for messages to send. */
  wake(): void {
    this.#isFillWanted = true
    if (!this.#isFilling) void this.#fill()
  }

  /** Sends nothing more. Requests that are under way go on. */
  close(): void {
    this.#isClosed = true
    this.#parts.onIdle(this)
  }

  /** Sends nothing more, and settles when the outcomes of all requests that are under way are recorded. */
  async end(): Promise<void> {
    this.close()
    for (const { id } of this.#queue.clear()) this.#known.delete(id)
    if (this.#known.size > 0) await this.#ended.promise
  }

  #use(webhook: LeasedWebhook): void {
    const { seal, clock } = this.#parts
    this.#webhook = webhook
    this.#health.learn(webhook)
    // While this process adds deliveries, the row can be older than what is known here.
    const position = eventIdOf(webhook)
    if (position > this.#position) this.#position = position
    const signsTwice = (webhook.previous_until?.getTime() ?? 0) > clock.now()
    this.#keys = signingKeys(seal, webhook, signsTwice)
  }

  async #fill(): Promise<void> {
    this.#isFilling = true
    try {
      while (this.#isFillWanted && this.#isLeased) {
        this.#isFillWanted = false
        if (await this.#fillOnce()) this.#isFillWanted = true
        this.#pump()
      }
    } catch (error) {
      this.#parts.log.warn({ error, webhook: this.id }, 'the messages of a webhook could not be read')
    }
    this.#isFilling = false
    this.#endIfIdle()
  }

  /** Returns whether there is more to read now. */
  async #fillOnce(): Promise<boolean> {
    const free = maxKnown - this.#known.size
    this.#isFull = free <= 0
    if (this.#isFull) return false
    // What is due comes before the rest of the log, so that messages about a subject stay in order.
    const due = await this.#parts.work.due(this.id, [...this.#known], free)
    this.#enqueue(due)
    return due.length === free || this.#fanOut(free - due.length)
  }

  async #fanOut(max: number): Promise<boolean> {
    const { db, events, work } = this.#parts
    const { id, org_id: orgId, types } = this.#webhook
    const from = this.#position
    const recent = events.after(from)?.filter(event => event.orgId === orgId)
    const next =
      recent?.slice(0, max) ?? (await readEvents(db, { orgId, order: 'oldest', beyond: from, limit: max }))
    const last = next.at(-1)
    if (!last) return false
    const messages = next.filter(({ type }) => isWanted(types, type)).map(messageOf)
    const added = await work.fanOut(id, from, last.id, messages)
    if (!added) {
      this.close()
      return false
    }
    this.#position = last.id
    this.#enqueue(added)
    return next.length === max
  }

  #enqueue(deliveries: readonly DueDelivery[]): void {
    for (const delivery of deliveries) {
      this.#known.add(delivery.id)
      this.#queue.add(delivery)
    }
  }

  get #isLeased(): boolean {
    return !this.#isClosed && performance.now() < this.#leasedUntil
  }

  get #maySend(): boolean {
    return this.#isLeased && !this.#health.isPaused
  }

  /** Starts as many requests as the endpoint may have. */
  #pump(): void {
    const { maxRequests } = this.#health
    while (this.#maySend && this.#requests < maxRequests && this.#queue.ready > this.#waiting) {
      this.#requests++
      this.#waiting++
      void this.#parts.share.run(this.orgId, () => this.#sendNext()).finally(() => this.#requestEnded())
    }
  }

  #requestEnded(): void {
    this.#requests--
    this.#pump()
    this.#endIfIdle()
  }

  async #sendNext(): Promise<void> {
    this.#waiting--
    const delivery = this.#maySend ? this.#queue.take() : undefined
    if (!delivery) return
    const { id, message_id: messageId, subject, body } = delivery
    const { url } = this.#webhook
    const sent = await this.#parts.sender.send({ url, keys: this.#keys }, { id: messageId, subject, body })
    this.#queue.done(subject)
    void this.#finish(delivery, sent)
      // The delivery is still pending in the database, so it is sent again.
      .catch(error =>
        this.#parts.log.warn({ error, delivery: id }, 'the outcome of a delivery could not be recorded'),
      )
      .finally(() => {
        this.#known.delete(id)
        if (this.#isFull && this.#known.size <= maxKnown / 2) this.wake()
        else this.#endIfIdle()
      })
  }

  async #finish({ id, tries }: DueDelivery, sent: SentAttempt): Promise<void> {
    const { outcomes, metrics, wakeAfter } = this.#parts
    const { attempt, retryAfterMs } = sent
    const isFailed = attempt.error !== null
    // A request that ended because the service stops says nothing about the endpoint.
    if (isFailed && this.#isClosed) return
    const delayMs = isFailed ? retryDelayMs(tries + 1, retryAfterMs) : undefined
    const status = !isFailed ? 'delivered' : delayMs === undefined ? 'failed' : 'pending'
    const outcome = { webhookId: this.id, deliveryId: id, status, delayMs: delayMs ?? 0, attempt } as const
    metrics.attempted(outcome)
    const reason = this.#health.reasonToDisable(sent)
    if (reason) {
      // Whoever sees that the webhook is disabled may enable it at once, and must then get another lane.
      await outcomes.record(outcome)
      this.close()
      return await this.#health.disable(reason, attempt.error)
    }
    // Whoever sees the attempt must also see what it means for the webhook, so that is recorded first.
    await this.#health.note(sent)
    await outcomes.record(outcome)
    if (delayMs !== undefined) wakeAfter(delayMs)
    if (retryAfterMs) wakeAfter(retryAfterMs)
  }

  #endIfIdle(): void {
    if (this.#isFilling || this.#known.size > 0) return
    this.#ended.resolve()
    this.#parts.onIdle(this)
  }
}
