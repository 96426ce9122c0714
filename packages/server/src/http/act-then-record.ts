import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, type Operation } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { AuditWriter } from '../audit/writer.ts'
import type { Database } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { makeChange, recordAttempt } from './change.ts'
import { findAnswer, type IdempotencyKey, idempotencyKeyOf, idempotencyWaitMs } from './idempotency.ts'

/** Something that is created inside a machine and is lost when this process ends. */
export interface MachineAct<T> {
  /** The id of the resource that the act concerns, for the audit log. */
  readonly target: string
  readonly act: () => Promise<T>
  /**
   * Reverts the act if it could not be recorded, because a caller who retries the request would otherwise create a
   * second one.
   */
  readonly undo: (made: T) => Promise<void>
}

/**
 * Acts inside machines without a transaction, because that may take seconds: it records the attempt, performs the
 * act, and then stores the answer with its Idempotency-Key. Requests with the same key wait for each other in this
 * process only. That is enough, because every call for a machine is served by the process that runs it.
 */
export class ActThenRecord {
  readonly #db: Database
  readonly #listener: Pick<Listener, 'caughtUp'>
  readonly #audit: AuditWriter
  readonly #inProgress = new Map<string, Promise<unknown>>()

  constructor(db: Database, listener: Pick<Listener, 'caughtUp'>, audit: AuditWriter) {
    this.#db = db
    this.#listener = listener
    this.#audit = audit
  }

  async run<T>(request: FastifyRequest, operation: Operation, act: MachineAct<T>): Promise<T> {
    const { principal } = request
    if (!principal) throw new Error('something was done without a principal')
    const key = idempotencyKeyOf(request, operation, principal)
    const perform = () => this.#act(request, operation, act)
    return key ? await this.#once(key, perform) : await perform()
  }

  async #once<T>(key: IdempotencyKey, perform: () => Promise<T>): Promise<T> {
    const id = `${key.caller} ${key.key}`
    for (let first = this.#inProgress.get(id); first; first = this.#inProgress.get(id)) {
      const isOver = first.then(
        () => true,
        () => true,
      )
      if (!(await Promise.race([isOver, delay(idempotencyWaitMs, false, { ref: false })])))
        throw new ApiError('idempotency.IN_PROGRESS', { retryAfter: 1 })
    }
    const run = this.#unlessRecorded(key, perform).finally(() => this.#inProgress.delete(id))
    this.#inProgress.set(id, run)
    return await run
  }

  async #unlessRecorded<T>(key: IdempotencyKey, perform: () => Promise<T>): Promise<T> {
    const earlier = await findAnswer(this.#db, key)
    // The answer was stored by the same operation, so it has the same type.
    return earlier ? (earlier.answer as T) : await perform()
  }

  async #act<T>(
    request: FastifyRequest,
    operation: Operation,
    { target, act, undo }: MachineAct<T>,
  ): Promise<T> {
    await recordAttempt(this.#audit, request, operation, target)
    const made = await act()
    let isRecorded = false
    try {
      return await makeChange(this.#db, this.#listener, request, operation, async () => ({
        answer: made,
        target,
        after: () => {
          isRecorded = true
        },
      }))
    } finally {
      if (!isRecorded)
        await undo(made).catch(error =>
          request.log.warn(
            { requestId: request.id, error },
            'an action that was not recorded could not be undone',
          ),
        )
    }
  }
}
