import type * as protocol from '@sandglass/protocol'
import type { Operation } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Bytes } from './bytes.ts'
import type { CallOptions } from './call-options.ts'
import type { EventStream } from './event-stream.ts'

type AnyOperation = Pick<Operation, 'id' | 'method' | 'path' | 'access'>

/** The operations among everything that a module exports. */
export type OperationsIn<Module> = {
  readonly [Name in keyof Module as Module[Name] extends AnyOperation
    ? Name
    : never]: Module[Name] extends AnyOperation ? Module[Name] : never
}

/** Every operation of the API by its id. A new one in the protocol appears here by itself. */
export type Operations = OperationsIn<typeof protocol>

export type OperationId = keyof Operations

/** Operations that open a connection are not called. */
type CallableIn<Ops> = {
  [Id in keyof Ops]: Ops[Id] extends { answers?: infer Answered }
    ? 'socket' extends Answered
      ? never
      : Id
    : Id
}[keyof Ops]

export type CallableId = CallableIn<Operations>

/** Operations that can answer with events. */
export type EventId = {
  [Id in OperationId]: [EventOf<Operations[Id]['answers']>] extends [never] ? never : Id
}[OperationId]

type Parts<Op> =
  Op extends Operation<infer Path, infer Query, infer Body, infer Response, infer Answered, infer Accepted>
    ? { path: Path; query: Query; body: Body; response: Response; answers: Answered; accepts: Accepted }
    : never

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** The organization is that of the client, unless a call names another. */
type PathInput<Path extends string> = { readonly [Name in Exclude<NamesIn<Path>, 'orgId'>]: string } & {
  readonly [Name in Extract<NamesIn<Path>, 'orgId'>]?: string
}

type QueryInput<Query extends z.ZodType> = z.input<Query> extends undefined ? unknown : z.input<Query>

/** What can be sent as bytes. A stream is sent once, so a call with one is not repeated. */
export type BytesInput = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | string | ReadableStream<Uint8Array>

type BodyInput<Body extends z.ZodType, Accepted> = [Accepted] extends ['bytes']
  ? { readonly body: BytesInput }
  : [Accepted] extends ['form']
    ? { readonly body: FormData }
    : z.output<Body> extends undefined
      ? unknown
      : Record<string, never> extends z.input<Body>
        ? { readonly body?: z.input<Body> }
        : { readonly body: z.input<Body> }

type Shown<T> = { [Key in keyof T]: T[Key] } & {}

type InputOf<Op> = Shown<
  PathInput<Parts<Op>['path']> &
    QueryInput<Parts<Op>['query']> &
    BodyInput<Parts<Op>['body'], Parts<Op>['accepts']>
>

type EventOf<Answered> = Answered extends { readonly events: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never

type OutputOf<Op> = [Parts<Op>['answers']] extends ['bytes']
  ? Promise<Bytes>
  : [EventOf<Parts<Op>['answers']>] extends [never]
    ? Promise<z.output<Parts<Op>['response']>>
    : z.output<Parts<Op>['response']> extends undefined
      ? EventStream<EventOf<Parts<Op>['answers']>>
      : Promise<z.output<Parts<Op>['response']>>

/** An input of which nothing is needed may be left out. */
type ArgumentsOf<Op> =
  Record<never, never> extends InputOf<Op>
    ? [input?: InputOf<Op>, options?: CallOptions]
    : [input: InputOf<Op>, options?: CallOptions]

/** One method per operation. */
export type MethodsOf<Ops> = {
  readonly [Id in CallableIn<Ops>]: (...args: ArgumentsOf<Ops[Id]>) => OutputOf<Ops[Id]>
}

/** What an operation is called with: the values of its path and query by their names, and its body. */
export type Input<Id extends OperationId> = InputOf<Operations[Id]>

/** The events of an operation that can answer with them. */
export type EventFrom<Id extends EventId> = EventOf<Operations[Id]['answers']>

/** What a call returns. An operation that answers with either a page or events returns the page; see `stream`. */
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>

export type Arguments<Id extends OperationId> = ArgumentsOf<Operations[Id]>

export type Methods = MethodsOf<Operations>
