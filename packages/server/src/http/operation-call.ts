import type { Operation, Params } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { AuditWriter } from '../audit/writer.ts'
import type { OrganizationPrincipal, Principal } from '../auth/principal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import type { ActThenRecord, MachineAct } from './act-then-record.ts'
import { type Change, findEarlierAnswer, makeChange, recordAttempt } from './change.ts'
import { parseInput } from './input.ts'

/** One call of an operation: its parsed input, its caller, and the ways in which it can make changes. */
export interface Call<Path extends string, Query, Body> {
  readonly params: Params<Path>
  readonly query: Query
  readonly body: Body
  readonly principal: Principal
  readonly request: FastifyRequest
  /** For an operation that sends its own answer, such as a stream. It then returns this object. */
  readonly reply: FastifyReply
  /** Aborts when the caller disconnects before the answer was sent. */
  readonly signal: AbortSignal
  /** The caller as a member of the organization in the path. */
  readonly member: OrganizationPrincipal
  /** Makes a change together with its audit entry and its Idempotency-Key, atomically. */
  change<T>(work: (tx: Tx) => Promise<Change<T>>): Promise<T>
  /**
   * Returns the answer to an earlier request with the same Idempotency-Key. `change` returns it too; ask for it only before
   * work that would be done for nothing.
   */
  earlier<T>(): Promise<{ readonly answer: T } | undefined>
  /** Records in the audit log what is about to be done inside a machine. Do it only after this has settled. */
  record(target: string): Promise<void>
  /** Creates something inside a machine without a transaction, with its audit entries and its Idempotency-Key. */
  act<T>(act: MachineAct<T>): Promise<T>
  /** The path and the body with which another node is asked for the same. */
  readonly sent: { readonly path: string; readonly body: unknown }
}

/** What is given to an operation that is called within another request. */
export interface CallInput<Path extends string, Query, Body> {
  readonly params: Params<Path>
  readonly query?: Query
  readonly body?: Body
}

/** What is given to an operation, before it was parsed. */
export interface RawInput {
  readonly params: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly sent: { readonly path: string; readonly body: unknown }
}

export interface OperationParts {
  readonly db: Database
  readonly audit: AuditWriter
  readonly listener: Pick<Listener, 'caughtUp'>
  readonly acts: ActThenRecord
}

/** The input of a request for the operation itself. */
export function inputOf({ params, query, body, url: path }: FastifyRequest): RawInput {
  return { params, query, body, sent: { path, body } }
}

/** Puts values into the placeholders of a path. */
export function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** The call that a request makes. */
export class OperationCall<Path extends string, Query extends z.ZodType, Body extends z.ZodType>
  implements Call<Path, z.output<Query>, z.output<Body>>
{
  readonly #parts: OperationParts
  readonly #operation: Operation
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly principal: Principal
  readonly params: Params<Path>
  readonly query: z.output<Query>
  readonly body: z.output<Body>
  readonly sent: RawInput['sent']
  #signal: AbortSignal | undefined

  constructor(
    parts: OperationParts,
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation<Path, Query, Body>,
    { params, query, body, sent }: RawInput,
  ) {
    if (!request.principal) throw new Error('an operation was reached without a principal')
    this.#parts = parts
    this.#operation = operation
    this.request = request
    this.reply = reply
    this.principal = request.principal
    this.params = params as Params<Path>
    this.query = parseInput(operation.query, query, 'query')
    this.body = parseInput(operation.body, body, 'body')
    this.sent = sent
  }

  get member(): OrganizationPrincipal {
    if (this.principal.kind === 'operator') throw new Error('the operator is no member of an organization')
    return this.principal
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.reply)
    return this.#signal
  }

  // These are getters that create a function on access, because operations destructure the call and most need none of
  // them.
  get change(): Call<Path, Query, Body>['change'] {
    const { db, listener } = this.#parts
    return work => makeChange(db, listener, this.request, this.#operation, work)
  }

  get earlier(): Call<Path, Query, Body>['earlier'] {
    return () => findEarlierAnswer(this.#parts.db, this.request, this.#operation)
  }

  get record(): Call<Path, Query, Body>['record'] {
    return target => recordAttempt(this.#parts.audit, this.request, this.#operation, target)
  }

  get act(): Call<Path, Query, Body>['act'] {
    return act => this.#parts.acts.run(this.request, this.#operation, act)
  }
}

/** Aborts when the caller disconnects before the answer was sent. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new Error('the caller went away'))
  })
  return controller.signal
}
