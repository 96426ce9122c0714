import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './role.ts'

/** Who may call: a member of the organization in the path, anybody with a credential, the operator, or simply everybody. */
export type Access =
  | { readonly to: 'organization'; readonly role: Role; readonly trial?: true }
  | { readonly to: 'anyone' }
  | { readonly to: 'operator' }
  | { readonly to: 'public' }

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The values of a path's `{placeholders}`. */
export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string }

/** One operation of the API as data: the server serves it, OpenAPI describes it, a client calls it. */
export interface Operation<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: Path
  readonly access: Access
  readonly query?: Query
  readonly body?: Body
  /** A body that is no JSON and streams through, whatever its size: bytes of any type, or a form with files. */
  readonly accepts?: 'bytes' | 'form'
  /** An answer that is no JSON: bytes, or server-sent events, each of which holds JSON of this schema. */
  readonly answers?: 'bytes' | { readonly events: z.ZodType }
  /** May take as long as its caller waits, so nothing in between gives up on it. */
  readonly long?: true
  /** Left out where success is an empty 200. */
  readonly response?: Response
  /** 204 for the one operation that says so; 200 for all others. */
  readonly status?: 204
  /** Changes nothing, though it is no GET. */
  readonly pure?: true
  /** Makes something, so an `Idempotency-Key` is honoured. */
  readonly creates?: true
  /** Fields of the answer that are shown once and left out of a repeated answer. */
  readonly secrets?: readonly string[]
  /** Ours, beyond the published contract. */
  readonly addition?: true
  readonly deprecated?: { readonly since: string; readonly successor: string }
  /** Errors besides those that every operation of its access may answer. */
  readonly errors?: readonly ErrorCode[]
}

export function operation<
  const Path extends string,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType<undefined>,
>(definition: Operation<Path, Query, Body, Response>): Operation<Path, Query, Body, Response> {
  return definition
}
