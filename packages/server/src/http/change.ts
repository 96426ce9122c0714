import type { Operation } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AuditRecord, appendAuditWithEvents, attempted } from '../audit/store.ts'
import type { AuditWriter } from '../audit/writer.ts'
import type { Principal } from '../auth/principal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { transact, transactFor } from '../db/transact.ts'
import { attribute } from '../events/actor.ts'
import { findAnswer, idempotencyKeyOf, keepAnswer, takeKey } from './idempotency.ts'

/** The result of a change: the answer, and the id of the changed resource for the audit log. */
export interface Change<T> {
  readonly answer: T
  readonly target: string
  /** Runs after the commit. It does not run if the answer was repeated for an Idempotency-Key. */
  readonly after?: () => void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that a change was refused with, if the audit log should contain it. */
    refusedWith: string | undefined
    /** The target of a recorded attempt. Any error that follows must be recorded as well. */
    attemptedOn: string | undefined
  }
}

/** Records refused changes in the audit log. Successful changes are recorded in their own transaction. */
export function addRefusals(app: FastifyInstance, audit: AuditWriter): void {
  app.decorateRequest('refusedWith', undefined)
  app.decorateRequest('attemptedOn', undefined)
  app.answers.onAnswer(request => {
    const { principal, refusedWith: code, attemptedOn } = request
    const operation = request.route?.operation
    if (!principal || !operation || !code) return
    if (operation.method === 'GET' && attemptedOn === undefined) return
    const record = recordOf(operation, principal, request, attemptedOn ?? targetInPath(request), code)
    audit
      .append(record)
      .catch(error =>
        request.log.error({ requestId: request.id, error }, 'a refused change could not be recorded'),
      )
  })
}

/**
 * Runs work in one transaction together with its audit entry and, if the caller sent one, its Idempotency-Key. When
 * this settles, the caches of this process no longer contain the state from before the change.
 */
export async function makeChange<T>(
  db: Database,
  listener: Pick<Listener, 'caughtUp'>,
  request: FastifyRequest,
  operation: Operation,
  work: (tx: Tx) => Promise<Change<T>>,
): Promise<T> {
  const { principal } = request
  if (!principal) throw new Error('a change was made without a principal')
  const key = operation.creates && idempotencyKeyOf(request, operation, principal)
  let after: (() => void) | undefined
  const run = async (tx: Tx) => {
    const earlier = key && (await takeKey(tx, key))
    // The answer was stored by the same operation, so it has the same type.
    if (earlier) return earlier.answer as T
    attribute(tx, principal)
    const { answer, target, ...rest } = await work(tx)
    after = rest.after
    await appendAuditWithEvents(tx, recordOf(operation, principal, request, target, 'done'))
    if (key) await keepAnswer(tx, key, answer, operation.secrets ?? [])
    return answer
  }
  const result = await (principal.kind === 'operator'
    ? transact(db, run)
    : transactFor(db, principal.organization.id, run))
  after?.()
  // A new resource cannot be in a cache yet, so there is no need to wait.
  if (!operation.creates) await listener.caughtUp()
  return result
}

/** Returns the answer to an earlier request with the same Idempotency-Key, if the request has one and it was answered. */
export async function findEarlierAnswer<T>(
  db: Database,
  request: FastifyRequest,
  operation: Operation,
): Promise<{ readonly answer: T } | undefined> {
  const { principal } = request
  if (!principal || !operation.creates) return undefined
  const key = idempotencyKeyOf(request, operation, principal)
  const earlier = key && (await findAnswer(db, key))
  // The answer was stored by the same operation, so it has the same type.
  return earlier && { answer: earlier.answer as T }
}

/**
 * Records what is about to be done inside a machine. Do it only after this has settled: if the entry cannot be
 * written, nothing must have been done. An error that follows gets an entry of its own.
 */
export async function recordAttempt(
  audit: AuditWriter,
  request: FastifyRequest,
  operation: Operation,
  target: string,
): Promise<void> {
  const { principal } = request
  if (!principal) throw new Error('something was done without a principal')
  await audit.append(recordOf(operation, principal, request, target, attempted))
  request.attemptedOn = target
}

/** Makes an audit entry of a request, for an operation that it makes or that it includes. */
export function recordOf(
  operation: Operation,
  principal: Principal,
  request: FastifyRequest,
  target: string | null,
  outcome: string,
): AuditRecord {
  return {
    org_id: principal.kind === 'operator' ? null : principal.organization.id,
    actor_kind: principal.kind,
    actor_id: principal.id,
    operation: operation.id,
    target,
    outcome,
    address: request.ip,
    request_id: request.id,
  }
}

/** Returns the last id in the path, other than the organization's. */
function targetInPath(request: FastifyRequest): string | null {
  const { orgId: _, ...ids } = request.params as Record<string, string>
  return Object.values(ids).at(-1) ?? null
}
