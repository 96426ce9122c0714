import { ApiError } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { appendAudit } from '../../../audit/store.ts'
import { Alarm, clockToleranceMs } from '../../../db/alarm.ts'
import { askTime, type DatabaseClock } from '../../../db/clock.ts'
import type { Database } from '../../../db/database.ts'
import type { Listener } from '../../../db/listener.ts'
import { transact } from '../../../db/transact.ts'
import { type DueSandbox, nextDue, postponeIdle, selectDue } from '../../../records/due-sandboxes.ts'
import { expireSandbox } from '../../../records/end-sandbox.ts'
import { lockById, type SandboxRow } from '../../../records/sandboxes.ts'
import { closeSpan } from '../../../records/usage.ts'
import type { MachinePower } from '../power.ts'
import type { ProcessorUse } from './processor-use.ts'
import type { SandboxWork } from './sandbox-work.ts'

/** The delay before a retry after a failure, such as an engine that does not answer. */
const retryMs = 5000
/** The delay while the time of the database is doubted. */
const doubtedRetryMs = 5000
/** The delay before something is done to a sandbox that is just being looked at. */
const busyMs = 200
/** How long a sandbox is watched that nobody has watched yet, for example because the service was just started. */
const lookSeconds = 3
/** How long calls may take to finish when the time of a sandbox is up. Calls that come meanwhile wait, for 9 s at most. */
const quietMs = 5000

/** Why a sandbox is put to sleep. The audit log names it as the actor. */
const reasons = {
  timeout: 'It was paused because its time was up. A call or resumeSandbox wakes it.',
  idle: 'It was paused because it was idle. A call or resumeSandbox wakes it.',
} as const

export interface RuleParts {
  readonly db: Database
  readonly nodeId: string
  readonly clock: Pick<DatabaseClock, 'now' | 'learn' | 'isDoubted'>
  readonly listener: Pick<Listener, 'caughtUp'>
  readonly power: MachinePower
  readonly work: SandboxWork
  readonly processor: ProcessorUse
  readonly onEnd: () => void
  readonly log: Logger
}

/**
 * Puts the sandboxes of this node to sleep, or ends them, when their rules say so. Only the process that has a machine knows what
 * works in it, so it decides alone.
 */
export class LifecycleRules {
  readonly #parts: RuleParts
  /** The sandboxes that are being put to sleep or ended. */
  readonly #acting = new Map<string, Promise<void>>()
  /** The times of this process before which nothing is tried again, after a failure. */
  readonly #retryAt = new Map<string, number>()
  readonly #alarm: Alarm
  #isStarted = false
  #closed = false

  constructor(parts: RuleParts) {
    this.#parts = parts
    this.#alarm = new Alarm(parts.clock, () => void this.run())
  }

  /** Begins to act. The machines of this node must have been adopted. */
  async start(): Promise<void> {
    this.#isStarted = true
    await this.run()
  }

  /** Sets the alarm to a time of the database if it is earlier than the current one. */
  arm(atMs: number): void {
    if (this.#isStarted) this.#alarm.set(atMs)
  }

  /** Does what is due, and sets the alarm. Call it also when announcements may have been missed. */
  async run(): Promise<void> {
    if (this.#closed || !this.#isStarted) return
    const { db, nodeId, clock, processor, log } = this.#parts
    this.#alarm.reset()
    try {
      await askTime(db, clock)
      // Whether the clock of the database is right, or merely ahead, shows after a while.
      if (clock.isDoubted) {
        this.arm(clock.now() + doubtedRetryMs)
        return
      }
      const due = await selectDue(db, nodeId)
      const ids = new Set(due.map(({ row }) => row.id))
      processor.keepOnly(ids)
      for (const id of this.#retryAt.keys()) if (!ids.has(id)) this.#retryAt.delete(id)
      for (const one of due) this.#begin(one)
      const next = await nextDue(db, nodeId)
      if (next) this.arm(next.getTime())
      if (this.#retryAt.size > 0) this.arm(clock.now() + retryMs)
    } catch (error) {
      log.warn({ error }, 'the rules of sandboxes could not be applied; retrying later')
      this.arm(clock.now() + retryMs)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#alarm.close()
    await Promise.all(this.#acting.values())
  }

  #begin(due: DueSandbox): void {
    const { id } = due.row
    if (this.#acting.has(id)) {
      this.arm(this.#parts.clock.now() + busyMs)
      return
    }
    if (performance.now() < (this.#retryAt.get(id) ?? 0)) return
    this.#retryAt.delete(id)
    const acting = this.#apply(due)
      .catch(error => {
        this.#retryAt.set(id, performance.now() + retryMs)
        this.arm(this.#parts.clock.now() + retryMs)
        this.#parts.log.warn(
          { sandbox: id, error },
          'a rule of a sandbox could not be applied; retrying later',
        )
      })
      .finally(() => this.#acting.delete(id))
    this.#acting.set(id, acting)
  }

  async #apply({ row, isOver, isIdle }: DueSandbox): Promise<void> {
    const { processor } = this.#parts
    if (isOver) await this.#whileClosed(row, () => this.#sleepInTime(row))
    else if (isIdle) await this.#endIdle(row)
    else await processor.look(row)
  }

  async #endIdle(row: SandboxRow): Promise<void> {
    const { db, work, processor } = this.#parts
    const hasWorked = work.isBusy(row.id) || (await processor.hasWorked(row))
    if (hasWorked === 'unknown') {
      const postponed = await postponeIdle(db, row.id, lookSeconds)
      if (postponed) await processor.look(postponed)
      return
    }
    if (hasWorked) return await this.#renew(row)
    await this.#whileClosed(row, async () => {
      // A call may have come in the meantime.
      if (work.isBusy(row.id)) await this.#renew(row)
      else if (row.on_idle === 'delete') await this.#delete(row, 'idle')
      else if (!(await this.#sleep(row, 'idle'))) await this.#renew(row)
    })
    processor.forget(row.id)
  }

  async #renew({ id, idle_seconds }: SandboxRow): Promise<void> {
    if (idle_seconds !== null) await postponeIdle(this.#parts.db, id, idle_seconds)
  }

  /** Lets calls finish that take no longer than a caller waits. Longer ones stop with the machine, and go on when it is woken. */
  async #sleepInTime(row: SandboxRow): Promise<void> {
    await this.#parts.work.quiet(row.id, quietMs)
    // Such a rule is refused, but the engine may be another one since.
    if (!(await this.#sleep(row, 'timeout'))) await this.#delete(row, 'expired')
  }

  /** Returns false if the machine can neither be paused nor stopped. */
  async #sleep(row: SandboxRow, why: keyof typeof reasons): Promise<boolean> {
    const { db, power, listener } = this.#parts
    const isAsleep = await power.sleep(row, {
      reason: reasons[why],
      attempt: async () => {},
      done: work =>
        transact(db, async tx => {
          const locked = await lockById(tx, row.id)
          if (!locked) throw new ApiError('sandbox.NOT_FOUND')
          if (!this.#isDue(locked, why))
            throw new ApiError('sandbox.STATE', { message: 'It was used or extended in the meantime.' })
          // Time after the end is not billed, as if the sandbox had been deleted then.
          await closeSpan(tx, row.id, sql<Date>`least(now(), ${locked.expires_at})`)
          await work(tx, locked)
          await appendAudit(tx, {
            org_id: row.org_id,
            actor_kind: 'service',
            actor_id: why,
            operation: 'pauseSandbox',
            target: row.id,
            outcome: 'done',
            address: null,
            request_id: '',
          })
        }),
    })
    // Until then, this process may have cached that the sandbox runs.
    if (isAsleep) await listener.caughtUp()
    return isAsleep
  }

  async #delete({ id }: SandboxRow, reason: 'idle' | 'expired'): Promise<void> {
    const { db, onEnd } = this.#parts
    await transact(db, async tx => {
      const locked = await lockById(tx, id)
      if (locked && this.#isDue(locked, reason)) await expireSandbox(tx, locked, reason)
    })
    onEnd()
  }

  #isDue({ expires_at, idle_at }: SandboxRow, reason: 'idle' | 'expired' | 'timeout'): boolean {
    const at = reason === 'idle' ? idle_at : expires_at
    return at !== null && at.getTime() <= this.#parts.clock.now() + clockToleranceMs
  }

  async #whileClosed({ id }: SandboxRow, act: () => Promise<void>): Promise<void> {
    using closed = this.#parts.work.close(id)
    if (closed) await act()
  }
}
