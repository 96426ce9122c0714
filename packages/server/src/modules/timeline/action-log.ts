import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Pool } from '../../db/database.ts'
import { isUnavailable } from '../../db/faults.ts'
import { insertActions, type NewAction, trimActions } from './store.ts'

/** How long the first action waits for others to be written with it. */
const togetherMs = 250
/** How long to wait before another attempt while the database is unavailable. */
const retryMs = 1000
/** How often it is tried to write what is left at the end. */
const maxAttempts = 10
/** Limits the size of one statement. */
const maxBatch = 500
/** How many actions wait to be written, of all and of one organization. Each takes some KiB at most. */
const maxWaiting = 4000
const maxPerOrganization = 1000
/** How many actions of a sandbox are kept, and after how many new ones the old ones are removed. */
const keptPerSandbox = 5000
const trimEvery = 500

export interface ActionLogParts {
  readonly pool: Pool
  readonly registry: Registry
  readonly log: Logger
}

/**
 * Writes the actions that were performed, in batches and after their callers were answered. Actions that the database does not take
 * fast enough are dropped and counted, so that they delay nobody and do not take up the memory.
 */
export class ActionLog {
  readonly #parts: ActionLogParts
  #waiting: NewAction[] = []
  readonly #waitingOf = new Map<string, number>()
  /** How many actions were written for each sandbox since its old ones were removed. */
  readonly #untrimmed = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  readonly #written: Counter.Internal
  readonly #dropped: Counter.Internal

  constructor(parts: ActionLogParts) {
    this.#parts = parts
    const actions = new Counter({
      name: 'sandglass_timeline_actions_total',
      help: 'Actions for the timelines of sandboxes, by outcome: written, or dropped because the database was too slow.',
      labelNames: ['outcome'] as const,
      registers: [parts.registry],
    })
    this.#written = actions.labels('written')
    this.#dropped = actions.labels('dropped')
    this.#dropped.inc(0)
  }

  /** Returns at once. The action is written soon. */
  add(action: NewAction): void {
    const ofOrganization = this.#waitingOf.get(action.org_id) ?? 0
    if (this.#waiting.length >= maxWaiting || ofOrganization >= maxPerOrganization) {
      this.#dropped.inc()
      return
    }
    this.#waitingOf.set(action.org_id, ofOrganization + 1)
    this.#waiting.push(action)
    if (!this.#writing) this.#timer ??= setTimeout(() => this.#begin(), togetherMs).unref()
  }

  /** Removes what is too much for the sandboxes in which little was done. */
  async trim(): Promise<void> {
    for (const sandboxId of [...this.#untrimmed.keys()]) await this.#trim(sandboxId)
  }

  /** Writes what is waiting. Call it when nothing is performed any more. */
  async close(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await this.#writing
      if (this.#waiting.length === 0) return
      if (attempt > 0) await delay(retryMs)
      this.#begin()
    }
    clearTimeout(this.#timer)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#begin(), retryMs).unref()
    })
  }

  /** Writes until nothing is waiting, or the database is unavailable. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, maxBatch)
      try {
        await insertActions(this.#parts.pool.prepared, batch)
        this.#written.inc(batch.length)
      } catch (error) {
        this.#parts.log.warn({ error, actions: batch.length }, 'actions could not be written to the timeline')
        if (isUnavailable(error)) return
        this.#dropped.inc(batch.length)
      }
      this.#waiting = this.#waiting.slice(batch.length)
      for (const { org_id } of batch) countDown(this.#waitingOf, org_id)
      for (const { sandbox_id } of batch)
        this.#untrimmed.set(sandbox_id, (this.#untrimmed.get(sandbox_id) ?? 0) + 1)
      for (const [sandboxId, count] of this.#untrimmed) if (count >= trimEvery) await this.#trim(sandboxId)
    }
  }

  async #trim(sandboxId: string): Promise<void> {
    this.#untrimmed.delete(sandboxId)
    await trimActions(this.#parts.pool.db, sandboxId, keptPerSandbox).catch(error =>
      this.#parts.log.warn({ error, sandbox: sandboxId }, 'old actions could not be removed from a timeline'),
    )
  }
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
