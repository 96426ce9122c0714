import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './role.ts'

/**
 * Who may call an operation: members of the organization in the path with at least `role`, anyone with a credential,
 * the operator, or everybody.
 */
export type Access =
  | { readonly to: 'organization'; readonly role: Role; readonly trial?: true }
  | { readonly to: 'anyone' }
  | { readonly to: 'operator' }
  | { readonly to: 'public' }

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The values of a path's `{placeholders}`, by name. */
export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string }

/** A request body that is not JSON: raw bytes, or a form with files. */
export type Accepts = 'bytes' | 'form'

/** A response that is not JSON: raw bytes, a WebSocket that the connection becomes, or server-sent events whose data matches this schema. */
export type Answers = 'bytes' | 'socket' | { readonly events: z.ZodType }

/**
 * A request with which an operation succeeds if what it names exists. `{sandboxId}` and the like stand for values of the caller's own, as
 * they do in paths; {@link placeholders} explains them. The tests send every example.
 */
export interface OperationExample<Query = unknown, Body = unknown> {
  /** What it shows, if the operation has several. */
  readonly title?: string
  readonly query?: Query
  /** The text if the body is bytes. */
  readonly body?: Body
}

/** An API operation as data: the server routes it, OpenAPI describes it, and clients call it. */
export interface Operation<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Answered extends Answers | undefined = Answers | undefined,
  Accepted extends Accepts | undefined = Accepts | undefined,
> {
  readonly id: string
  /** The operationId in the published document, where it differs: generated clients name their methods after it. */
  readonly publishedId?: string
  readonly tag: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: Path
  readonly access: Access
  readonly query?: Query
  readonly body?: Body
  /** Its JSON body carries texts, input or lists, so it can be up to 1 MiB. All others can be up to 64 KiB. */
  readonly largeBody?: true
  /** Omitted if the request body is JSON. What is set here is streamed without a size limit. */
  readonly accepts?: Accepted
  /** Omitted if the response is JSON. If there is a `response` as well, the caller chooses with Accept. */
  readonly answers?: Answered
  /** The type of the bytes that it answers with, if it is always the same; application/octet-stream otherwise. */
  readonly mediaType?: string
  /** Has no timeout of the service: it runs until it is done or the caller disconnects. */
  readonly long?: true
  /** Omitted if success is an empty 200. */
  readonly response?: Response
  /** 204 for the one operation that the contract defines so; 200 for all others. */
  readonly status?: 204
  /** Changes nothing although its method is not GET, so it is logged as a read. */
  readonly pure?: true
  /** Creates a resource, so the `Idempotency-Key` header is honoured. */
  readonly creates?: true
  /** Response fields that are shown once and omitted when an idempotent response is repeated. */
  readonly secrets?: readonly string[]
  /** An addition to the published contract. */
  readonly addition?: true
  readonly deprecated?: { readonly since: string; readonly successor: string }
  /** Needed if it succeeds only with a body or a query. Nothing in it may name a host, since people run examples as they are. */
  readonly examples?: readonly OperationExample<z.input<Query>, z.input<Body>>[]
  /** Error codes besides those that every operation with the same access can return. */
  readonly errors?: readonly ErrorCode[]
}

/**
 * Defines an operation and keeps the exact types of its path, query, body and response for the server's handlers.
 *
 * @example
 * export const getStats = operation({
 *   id: 'getStats',
 *   tag: 'Organization',
 *   summary: 'Count the resources of the organization.',
 *   method: 'GET',
 *   path: '/api/orgs/{orgId}/stats',
 *   access: { to: 'organization', role: 'viewer' },
 *   response: Stats,
 * })
 */
export function operation<
  const Path extends string,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType<undefined>,
  const Answered extends Answers | undefined = undefined,
  const Accepted extends Accepts | undefined = undefined,
>(
  definition: Operation<Path, Query, Body, Response, Answered, Accepted>,
): Operation<Path, Query, Body, Response, Answered, Accepted> {
  return definition
}
