import { setTimeout as delay } from 'node:timers/promises'
import type { LoggedEvent } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { EnvironmentSeal } from '../../../auth/environment-seal.ts'
import type { DatabaseClock } from '../../../db/clock.ts'
import type { Pool } from '../../../db/database.ts'
import { FairShare } from '../../../db/fair-share.ts'
import type { Channels } from '../../../db/listener.ts'
import type { EventTail } from '../../../events/tail.ts'
import type { Housekeeping } from '../../../housekeeping.ts'
import type { Outbound } from '../../../outbound/outbound.ts'
import { forgetDeliveries } from '../forget-deliveries.ts'
import { Lane, type LaneParts } from './lane.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import { Sender } from './send.ts'
import { WebhookMetrics } from './webhook-metrics.ts'
import { WorkStore } from './work-store.ts'

/** How long a killed process keeps others from continuing its work. */
const leaseSeconds = 20
/** How often leases are extended, and how soon the work of another process is continued after its lease has ended. */
const claimEverySeconds = 5
/** A lease ends a little earlier for the process that has it. */
const leaseMarginMs = 2000
/** The maximum number of webhooks that a process sends to at once. */
const maxLanes = 1000
/** The maximum of concurrent requests, for one organization and for all together. */
const shares = { perKey: 128, total: 1024 }
/** A timer may fire slightly early, and the database must agree that the time has come. */
const timerToleranceMs = 5
const maxTimerMs = 3_600_000
/** How long requests that are under way may take when the service stops. */
const closeMs = 2000

export interface DispatcherParts {
  readonly pool: Pool
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly events: EventTail
  readonly seal: EnvironmentSeal
  readonly outbound: Outbound
  readonly nodeId: string
  readonly timeoutSeconds: number
  readonly keptDays: number
  readonly maxDeliveries: number
  readonly registry: Registry
  readonly log: Logger
}

/**
 * Sends events to webhooks. The processes on a database share the webhooks by leases, because the messages of one webhook keep
 * their order only if one process sends them. Everything that is to be sent is a row in the database or an event in the log, so a
 * process that is killed loses nothing.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts
  readonly #work: WorkStore
  readonly #laneParts: LaneParts
  readonly #lanes = new Map<string, Lane>()
  readonly #closing = new AbortController()
  /** The organizations that have webhooks. It only saves queries: all organizations are looked at every few seconds. */
  #subscribers = new Set<string>()
  #wanted = new Set<string>()
  #areAllWanted = false
  #isClaiming = false
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(parts: DispatcherParts) {
    const { pool, clock, events, seal, outbound, nodeId, timeoutSeconds, registry, log } = parts
    this.#parts = parts
    this.#work = new WorkStore(pool.prepared, nodeId)
    this.#laneParts = {
      db: pool.db,
      clock,
      events,
      seal,
      work: this.#work,
      sender: new Sender(outbound, clock, timeoutSeconds * 1000),
      outcomes: new OutcomeWriter(pool.prepared),
      metrics: new WebhookMetrics(registry, pool.db),
      share: new FairShare(shares),
      log,
      wakeAfter: delayMs => this.#wakeAfter(delayMs),
      onIdle: lane => this.#lanes.get(lane.id) === lane && this.#lanes.delete(lane.id),
    }
  }

  get channels(): Channels {
    return { webhook_changes: orgId => this.#changed(orgId) }
  }

  start(housekeeping: Housekeeping): void {
    void this.#follow()
    housekeeping.every(claimEverySeconds, 'sending to webhooks', () => this.#lookAtAll())
    housekeeping.forgetEvery(3600, 'forgetting old deliveries', () =>
      forgetDeliveries(this.#parts.pool.db, this.#parts.keptDays, this.#parts.maxDeliveries),
    )
  }

  /** Lets requests that are under way end, and gives the webhooks to other processes. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    const lanes = [...this.#lanes.values()]
    const ended = Promise.all(lanes.map(lane => lane.end()))
    await Promise.race([ended, delay(closeMs, undefined, { ref: false })])
    await this.#work.release().catch(() => {})
  }

  async #lookAtAll(): Promise<void> {
    this.#subscribers = new Set(await this.#work.subscribers())
    await this.#claim()
  }

  /** Claims the webhooks of organizations that have new events. */
  async #follow(): Promise<void> {
    const { events } = this.#parts
    const { signal } = this.#closing
    let at = events.end
    await this.#lookAtAll().catch(error => this.#warn(error))
    while (!signal.aborted) {
      const recent = events.after(at)
      at = recent?.at(-1)?.id ?? events.end
      if (recent?.length === 0) await events.grown(maxTimerMs, signal)
      else void this.#claim(recent && this.#subscribersOf(recent))
    }
  }

  #subscribersOf(events: readonly LoggedEvent[]): string[] {
    const orgIds = new Set(events.flatMap(({ orgId }) => orgId ?? []))
    return [...orgIds].filter(orgId => this.#subscribers.has(orgId))
  }

  #changed(orgId: string): void {
    this.#subscribers.add(orgId)
    for (const lane of this.#lanes.values())
      if (lane.orgId === orgId) lane.refresh().catch(error => this.#warn(error))
    void this.#claim([orgId])
  }

  /** Leases the webhooks of some organizations, or of all, if they have something to send, and sends it. */
  async #claim(orgIds?: readonly string[]): Promise<void> {
    if (orgIds) for (const orgId of orgIds) this.#wanted.add(orgId)
    else this.#areAllWanted = true
    if (this.#isClaiming) return
    this.#isClaiming = true
    while ((this.#areAllWanted || this.#wanted.size > 0) && !this.#closing.signal.aborted)
      await this.#claimWanted().catch(error => this.#warn(error))
    this.#isClaiming = false
  }

  async #claimWanted(): Promise<void> {
    const orgIds = this.#areAllWanted ? null : [...this.#wanted]
    this.#areAllWanted = false
    this.#wanted = new Set()
    const leasedUntil = performance.now() + leaseSeconds * 1000 - leaseMarginMs
    const claimed = await this.#work.claim(orgIds, leaseSeconds, maxLanes)
    if (this.#closing.signal.aborted) return
    for (const webhook of claimed) {
      const lane = this.#lanes.get(webhook.id)
      if (lane) lane.renew(webhook, leasedUntil)
      else this.#add(new Lane(this.#laneParts, webhook, leasedUntil))
    }
    // A webhook whose row was locked at this moment was skipped.
    const isClaimed = new Set(claimed.map(({ id }) => id))
    for (const lane of this.#lanes.values())
      if (orgIds?.includes(lane.orgId) && !isClaimed.has(lane.id)) lane.wake()
  }

  #add(lane: Lane): void {
    this.#lanes.set(lane.id, lane)
    lane.wake()
  }

  /** Only the next time has a timer. After it, whatever else is due is found by the regular look at all webhooks. */
  #wakeAfter(delayMs: number): void {
    const at = performance.now() + Math.min(delayMs, maxTimerMs) + timerToleranceMs
    if (at >= this.#timerAt || this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    const fire = () => {
      this.#timerAt = Number.POSITIVE_INFINITY
      void this.#claim()
    }
    this.#timer = setTimeout(fire, at - performance.now()).unref()
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ error }, 'webhooks could not be served; trying again')
  }
}
