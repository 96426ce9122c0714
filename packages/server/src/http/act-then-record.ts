import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { AuditWriter } from '../audit/writer.ts'
import type { Database } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { makeChange, recordAttempt } from './change.ts'
import { findAnswer, type IdempotencyKey, idempotencyKeyOf, idempotencyWaitMs } from './idempotency.ts'

/** Something that is made inside a machine, and that goes with this process. */
export interface MachineAct<T> {
  /** The id of what it is done to, for the audit log. */
  readonly target: string
  readonly act: () => Promise<T>
  /** Takes it back where it could not be recorded, because a caller who repeats the request would make another. */
  readonly undo: (made: T) => Promise<void>
}

/**
 * Acts inside machines outside any transaction, since that may take seconds: the attempt is recorded, then it is done, then
 * its answer is kept with its Idempotency-Key. Requests with one key wait for each other in this process, which is enough:
 * every call for a machine is served by the process that has it.
 */
export class ActThenRecord {
  readonly #db: Database
  readonly #listener: Pick<Listener, 'caughtUp'>
  readonly #audit: AuditWriter
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(db: Database, listener: Pick<Listener, 'caughtUp'>, audit: AuditWriter) {
    this.#db = db
    this.#listener = listener
    this.#audit = audit
  }

  async run<T>(request: FastifyRequest, act: MachineAct<T>): Promise<T> {
    const { principal } = request
    const operation = request.route?.operation
    if (!principal || !operation) throw new Error('something was done outside an operation')
    const key = idempotencyKeyOf(request, operation, principal)
    return key ? await this.#once(key, request, act) : await this.#act(request, act)
  }

  async #once<T>(key: IdempotencyKey, request: FastifyRequest, act: MachineAct<T>): Promise<T> {
    const id = `${key.caller} ${key.key}`
    for (let first = this.#underWay.get(id); first; first = this.#underWay.get(id)) {
      const isOver = first.then(
        () => true,
        () => true,
      )
      if (!(await Promise.race([isOver, delay(idempotencyWaitMs, false, { ref: false })])))
        throw new ApiError('idempotency.IN_PROGRESS', { retryAfter: 1 })
    }
    const run = this.#unlessKept(key, request, act).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, run)
    return await run
  }

  async #unlessKept<T>(key: IdempotencyKey, request: FastifyRequest, act: MachineAct<T>): Promise<T> {
    const earlier = await findAnswer(this.#db, key)
    // The same operation kept it, so it is of the same type.
    return earlier ? (earlier.answer as T) : await this.#act(request, act)
  }

  async #act<T>(request: FastifyRequest, { target, act, undo }: MachineAct<T>): Promise<T> {
    await recordAttempt(this.#audit, request, target)
    const made = await act()
    let isKept = false
    try {
      return await makeChange(this.#db, this.#listener, request, async () => ({
        answer: made,
        target,
        after: () => {
          isKept = true
        },
      }))
    } finally {
      if (!isKept)
        await undo(made).catch(error =>
          request.log.warn({ requestId: request.id, error }, 'what was not recorded could not be taken back'),
        )
    }
  }
}
