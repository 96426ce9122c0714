import type { Access, Operation } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { z } from 'zod'
import type { AuditWriter } from '../audit/writer.ts'
import { authorize } from '../auth/authorize.ts'
import type { Principal } from '../auth/principal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { ActThenRecord } from './act-then-record.ts'
import { passBodiesThrough } from './body.ts'
import { type Change, makeChange, recordAttempt } from './change.ts'
import { parseInput } from './input.ts'
import type { LoopTime } from './loop-time.ts'
import { type Call, type CallInput, inputOf, OperationCall, pathOf, type RawInput } from './operation-call.ts'
import type { SocketRoutes } from './socket-routes.ts'

export { type Call, disconnectSignal } from './operation-call.ts'

/** Serves an operation with input that has not been parsed yet. */
type Handler = (request: FastifyRequest, reply: FastifyReply, input: RawInput) => Promise<unknown>

/** An operation that was called within another request has answered that request itself, because another node has the machine. */
export class AnsweredElsewhere extends Error {
  override readonly name = 'AnsweredElsewhere'
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
    /** Identifies the caller of a route that has credentials of its own. */
    identify?: (request: FastifyRequest) => Principal | Promise<Principal>
    /** The path names no organization; the caller's own is meant. */
    ownOrganization?: true
    /** The body is read as a stream, whatever the operation accepts. */
    streamsBody?: true
    /** The path itself grants access, so no log may contain it. */
    secretPath?: true
    /** Its answer may take longer than that of other routes. */
    long?: true
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
  readonly #handlers = new Map<string, Handler>()

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
    const parts = { db: this.#db, audit: this.#audit, listener: this.#listener, acts: this.#acts }
    this.#handlers.set(operation.id, (request, reply, input) =>
      handle(new OperationCall(parts, request, reply, operation, input)),
    )
    const route: RouteOptions = {
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { access: operation.access, operation },
      handler: (request, reply) => {
        const { deprecated, status, response } = operation
        const answer = this.#charged(request, () =>
          handle(new OperationCall(parts, request, reply, operation, inputOf(request))),
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

  /**
   * Calls an operation within a request for something else, in the name of its caller, who needs the same rights as for the
   * operation itself. Throws {@link AnsweredElsewhere} if the whole request was forwarded to the node that has the machine.
   */
  async call<
    Path extends string,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    request: FastifyRequest,
    reply: FastifyReply,
    { params, query = undefined, body = undefined }: CallInput<Path, z.input<Query>, z.input<Body>>,
  ): Promise<z.output<Response>> {
    const handler = this.#handlers.get(operation.id)
    if (!handler) throw new Error(`${operation.id} is not served`)
    authorizeOwn(operation, request)
    const sent = { path: pathOf(operation.path, params), body }
    const answer = await handler(request, reply, { params, query: query ?? {}, body, sent })
    if (answer === reply) throw new AnsweredElsewhere()
    return answerOf(operation, answer)
  }

  /** Records in the audit log what a request to a door is about to do inside a machine, as the operation that it stands for. */
  record(operation: Operation, request: FastifyRequest, target: string): Promise<void> {
    return recordAttempt(this.#audit, request, operation, target)
  }

  /** Makes a change that a request to a door stands for, with the rights and the audit entry of the operation. */
  async change<T>(
    operation: Operation,
    request: FastifyRequest,
    work: (tx: Tx) => Promise<Change<T>>,
  ): Promise<T> {
    authorizeOwn(operation, request)
    return makeChange(this.#db, this.#listener, request, operation, work)
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
            return makeChange(this.#db, this.#listener, request, operation, work)
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

/** Parses what an operation returns, which may be serialized already. */
function answerOf<Response extends z.ZodType>(
  { response }: Pick<Operation<string, z.ZodType, z.ZodType, Response>, 'response'>,
  answer: unknown,
): z.output<Response> {
  if (!response) return undefined as z.output<Response>
  return response.parse(Buffer.isBuffer(answer) ? JSON.parse(answer.toString()) : answer)
}

/** Throws unless the caller of a request may call an operation on the caller's own organization. */
function authorizeOwn({ id, access }: Operation, { principal }: FastifyRequest): void {
  if (!principal) throw new Error(`${id} was called without a principal`)
  authorize(access, principal, principal.kind === 'operator' ? undefined : principal.organization.id)
}
