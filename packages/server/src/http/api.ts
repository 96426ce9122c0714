import type { Access, Operation, Params } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { z } from 'zod'
import type { AuditWriter } from '../audit/writer.ts'
import type { OrganizationPrincipal, Principal } from '../auth/principal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { ActThenRecord, type MachineAct } from './act-then-record.ts'
import { passBodiesThrough } from './body.ts'
import { type Change, findEarlierAnswer, makeChange, recordAttempt } from './change.ts'
import { parseInput } from './input.ts'
import type { LoopTime } from './loop-time.ts'
import type { SocketRoutes } from './socket-routes.ts'

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
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call a route. A route without it is open to everybody. */
    access?: Access
    /** The operation that a route serves, if any. */
    operation?: Operation
    /**
     * Returns the WWW-Authenticate header for a caller without a credential. If it returns undefined, the default is
     * sent.
     */
    challenge?: (request: FastifyRequest) => string | undefined
    /** The path itself grants access, so no log may contain it. */
    secretPath?: true
  }
  interface FastifyRequest {
    /** Set for every request that was admitted to an operation. */
    principal: Principal | undefined
  }
}

/** A call of an operation that is open to everybody. Its caller is not authenticated. */
export interface PublicCall<Body> extends Pick<Call<string, undefined, Body>, 'body' | 'request' | 'reply'> {
  /** Makes a change for a caller whom the operation itself has identified. */
  changeAs<T>(principal: Principal, work: (tx: Tx) => Promise<Change<T>>): Promise<T>
}

export interface ApiParts {
  readonly db: Database
  readonly audit: AuditWriter
  readonly loopTime: LoopTime
  readonly listener: Pick<Listener, 'caughtUp'>
  readonly sockets: SocketRoutes
}

/** Serves operations of the protocol, and lists those that it serves. */
export class Api {
  readonly operations: Operation[] = []
  /** Aborts when the service begins to close. Answers that would otherwise never end must end then. */
  readonly closing: AbortSignal
  readonly #app: FastifyInstance
  readonly #db: Database
  readonly #audit: AuditWriter
  readonly #listener: Pick<Listener, 'caughtUp'>
  readonly #acts: ActThenRecord
  readonly #loopTime: LoopTime
  readonly #sockets: SocketRoutes

  constructor(app: FastifyInstance, { db, audit, loopTime, listener, sockets }: ApiParts) {
    this.#app = app
    this.#sockets = sockets
    this.#loopTime = loopTime
    this.#db = db
    this.#audit = audit
    this.#listener = listener
    this.#acts = new ActThenRecord(db, listener, audit)
    const closing = new AbortController()
    this.closing = closing.signal
    app.addHook('preClose', async () => closing.abort())
  }

  /** Runs before the first call. */
  onStart(begin: () => Promise<void>): void {
    this.#app.addHook('onReady', begin)
  }

  /** Runs when the service begins to close, before it waits for pending calls. */
  onClose(end: () => Promise<void>): void {
    this.#app.addHook('preClose', end)
  }

  /** Serves an operation. A response that is serialized already is returned as a buffer, with its type set. */
  serve<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>(
    operation: Operation<Path, Query, Body, Response>,
    handle: (
      call: Call<Path, z.output<Query>, z.output<Body>>,
    ) => Promise<z.input<Response> | FastifyReply | Buffer>,
  ): void {
    this.operations.push(operation)
    const route: RouteOptions = {
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { access: operation.access, operation },
      handler: (request, reply) => {
        const { deprecated, status, response } = operation
        const answer = this.#charged(request, () =>
          handle(
            new OperationCall(this.#db, this.#audit, this.#listener, this.#acts, request, reply, operation),
          ),
        )
        if (response && !deprecated && !status) return answer
        return answer.then(value => {
          if (value === reply) return reply
          if (deprecated) announceSuccessor(deprecated, request, reply)
          reply.code(status ?? 200)
          return response ? value : reply.send()
        })
      },
    }
    this.#add(operation, route)
  }

  /** Serves an operation that requires no credential. */
  servePublic<Path extends string, Body extends z.ZodType, Response extends z.ZodType>(
    operation: Operation<Path, z.ZodType<undefined>, Body, Response>,
    handle: (call: PublicCall<z.output<Body>>) => Promise<z.input<Response>>,
  ): void {
    this.operations.push(operation)
    this.#add(operation, {
      method: operation.method,
      url: operation.path,
      config: { access: operation.access, operation },
      handler: (request, reply) =>
        handle({
          request,
          reply,
          body: parseInput(operation.body, request.body, 'body') as z.output<Body>,
          changeAs: (principal, work) => {
            request.principal = principal
            return makeChange(this.#db, this.#listener, request, work)
          },
        }),
    })
  }

  /** Charges the time until the first wait of this work to the caller. */
  #charged<T>({ principal }: FastifyRequest, work: () => T): T {
    const from = performance.now()
    try {
      return work()
    } finally {
      this.#loopTime.charge(principal, from)
    }
  }

  #add(operation: Operation, route: RouteOptions): void {
    if (operation.answers === 'socket') this.#sockets.add(operation)
    if (!operation.accepts) this.#app.route(route)
    else
      this.#app.register(async scope => {
        passBodiesThrough(scope)
        scope.route(route)
      })
  }
}

/** The call that a request makes. */
class OperationCall<Path extends string, Query extends z.ZodType, Body extends z.ZodType>
  implements Call<Path, z.output<Query>, z.output<Body>>
{
  readonly #db: Database
  readonly #audit: AuditWriter
  readonly #listener: Pick<Listener, 'caughtUp'>
  readonly #acts: ActThenRecord
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly principal: Principal
  readonly params: Params<Path>
  readonly query: z.output<Query>
  readonly body: z.output<Body>
  #signal: AbortSignal | undefined

  constructor(
    db: Database,
    audit: AuditWriter,
    listener: Pick<Listener, 'caughtUp'>,
    acts: ActThenRecord,
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation<Path, Query, Body>,
  ) {
    if (!request.principal) throw new Error('an operation was reached without a principal')
    this.#db = db
    this.#audit = audit
    this.#listener = listener
    this.#acts = acts
    this.request = request
    this.reply = reply
    this.principal = request.principal
    this.params = request.params as Params<Path>
    this.query = parseInput(operation.query, request.query, 'query')
    this.body = parseInput(operation.body, request.body, 'body')
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
    return work => makeChange(this.#db, this.#listener, this.request, work)
  }

  get earlier(): Call<Path, Query, Body>['earlier'] {
    return () => findEarlierAnswer(this.#db, this.request)
  }

  get record(): Call<Path, Query, Body>['record'] {
    return target => recordAttempt(this.#audit, this.request, target)
  }

  get act(): Call<Path, Query, Body>['act'] {
    return act => this.#acts.run(this.request, act)
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

/** Sets the headers of RFC 9745 and RFC 8288 with the date of the deprecation and the operation to call instead. */
function announceSuccessor(
  { since, successor }: NonNullable<Operation['deprecated']>,
  { params }: FastifyRequest,
  reply: FastifyReply,
): void {
  const given = params as Readonly<Record<string, string>>
  const path = successor.replaceAll(/\{(\w+)\}/g, (hole, name: string) => given[name] ?? hole)
  reply.header('deprecation', `@${Math.floor(Date.parse(since) / 1000)}`)
  reply.header('link', `<${path}>; rel="successor-version"`)
}
