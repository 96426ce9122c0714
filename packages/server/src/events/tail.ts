import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { LoggedEvent } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Prepared } from '../db/database.ts'
import { endBelow, knownPosition, logStart } from './position.ts'
import { type EventRow, eventOf } from './read.ts'

/** How many events are kept in memory for readers that are almost at the end of the log. Others read the database. */
const maxKept = 1000
const pageSize = 500
/** How many of those who wait are woken without a break. */
const wakesAtOnce = 50
/** How soon to look again for events that a running transaction could still precede. */
const firstRetryMs = 1
const maxRetryMs = 250
/** The delay before a retry after the database could not be read. */
const failedRetryMs = 500

interface TailRow extends EventRow {
  readonly is_settled: boolean
}

/**
 * Names every column, because a prepared statement with `*` fails after a migration adds a column. Events that are not settled
 * are selected as well: they say that it is worth looking again, since no announcement follows when they are settled.
 */
const nextEvents = `SELECT position, number, org_id, type, at, subject, data, reason, actor_kind, actor_id,
    position < (SELECT event_horizon()) AS is_settled
  FROM events WHERE (position, number) > ($1::bigint, $2::bigint) ORDER BY position, number LIMIT ${pageSize}`

const horizon = 'SELECT event_horizon()::text AS position'

/**
 * The end of the event log, which one reader per process follows for all streams of the process. An announcement of the database
 * is only a hint to look: what counts is read from the log. The last events stay in memory, so that a thousand streams that are up
 * to date cost one query, and a stream that is not costs no memory here. While nobody waits for events, nothing is read.
 */
export class EventTail {
  readonly #prepared: Prepared
  readonly #log: Logger
  readonly #waiting = new Set<() => void>()
  #kept: LoggedEvent[] = []
  /** All events after this id and up to `#end` are kept. */
  #start = logStart
  #end = logStart
  /** Whether the log has grown while nobody waited. It is not known by how much. */
  #isAsleep = true
  #isLooking = false
  #isWanted = false
  #isClosed = false

  constructor(prepared: Prepared, log: Logger) {
    this.#prepared = prepared
    this.#log = log
  }

  /** The id up to which the log has been read. What comes after it may be in the log already. */
  get end(): string {
    return this.#end
  }

  /** The same, or undefined while nobody waits for events and the log is therefore not followed. */
  get read(): string | undefined {
    return this.#isAsleep ? undefined : this.#end
  }

  /** Returns the id that comes after all events that can be read now, and before all later ones. */
  async now(): Promise<string> {
    const [row] = await this.#prepared<{ position: string }>('event-horizon', horizon)
    return endBelow(row?.position ?? '1')
  }

  /** Settles when the log has grown, after so many milliseconds, when the signal aborts, and when the tail is closed. */
  async grown(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const timer = setTimeout(wake, ms)
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake)
    this.#lookIfWanted()
    await promise
    clearTimeout(timer)
    this.#waiting.delete(wake)
    signal.removeEventListener('abort', wake)
  }

  /** Call this when an event was announced, and when announcements may have been missed. */
  changed(): void {
    this.#isWanted = true
    if (this.#waiting.size === 0) this.#isAsleep = true
    this.#lookIfWanted()
  }

  /** Returns the events after an id, or undefined if not all of them are in memory. */
  after(id: string): readonly LoggedEvent[] | undefined {
    if (id < this.#start) return undefined
    return this.#kept.slice(this.#kept.findLastIndex(event => event.id <= id) + 1)
  }

  close(): void {
    this.#isClosed = true
    void this.#wake()
  }

  #lookIfWanted(): void {
    const isWanted = this.#isWanted || this.#isAsleep
    if (isWanted && !this.#isLooking && this.#waiting.size > 0) void this.#look()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    let retryMs = firstRetryMs
    while ((this.#isWanted || this.#isAsleep) && this.#waiting.size > 0 && !this.#isClosed) {
      this.#isWanted = false
      const outcome = await this.#readNext()
      if (outcome === 'end') continue
      this.#isWanted = true
      if (outcome === 'more') continue
      await delay(outcome === 'failed' ? failedRetryMs : retryMs, undefined, { ref: false })
      retryMs = Math.min(retryMs * 2, maxRetryMs)
    }
    this.#isLooking = false
  }

  async #readNext(): Promise<'end' | 'more' | 'unsettled' | 'failed'> {
    try {
      if (this.#isAsleep) return await this.#wakeUp()
      const { position, number } = knownPosition(this.#end)
      const rows = await this.#prepared<TailRow>('next-events', nextEvents, position, number)
      const firstUnsettled = rows.findIndex(row => !row.is_settled)
      this.#add((firstUnsettled === -1 ? rows : rows.slice(0, firstUnsettled)).map(eventOf))
      if (firstUnsettled !== -1) return 'unsettled'
      return rows.length === pageSize ? 'more' : 'end'
    } catch (error) {
      this.#log.warn({ error }, 'the event log could not be read; retrying later')
      return 'failed'
    }
  }

  /** Goes on at the end of the log. Those who wait read what was appended meanwhile from the database. */
  async #wakeUp(): Promise<'more'> {
    this.#isAsleep = false
    try {
      this.#start = this.#end = await this.now()
    } catch (error) {
      this.#isAsleep = true
      throw error
    }
    this.#kept = []
    void this.#wake()
    return 'more'
  }

  #add(events: readonly LoggedEvent[]): void {
    const last = events.at(-1)
    if (!last) return
    this.#kept.push(...events)
    this.#end = last.id
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - maxKept)).at(-1)
    if (dropped) this.#start = dropped.id
    void this.#wake()
  }

  /** Lets those who wait go on, some at a time, so that a thousand streams do not delay other requests at once. */
  async #wake(): Promise<void> {
    const waiting = [...this.#waiting]
    for (let i = 0; i < waiting.length; i += wakesAtOnce) {
      if (i > 0) await setImmediate()
      for (const wake of waiting.slice(i, i + wakesAtOnce)) wake()
    }
  }
}
