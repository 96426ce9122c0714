import type * as protocol from '@sandglass/protocol'
import type { Operation } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Bytes } from './bytes.ts'
import type { CallOptions } from './call-options.ts'
import type { EventStream } from './event-stream.ts'

type Everything = typeof protocol

type AnyOperation = Pick<Operation, 'id' | 'method' | 'path' | 'access'>

/** Every operation of the API by its id. A new one in the protocol appears here by itself. */
export type Operations = {
  readonly [Name in keyof Everything as Everything[Name] extends AnyOperation
    ? Name
    : never]: Everything[Name] extends AnyOperation ? Everything[Name] : never
}

export type OperationId = keyof Operations

/** Operations that open a connection are not called. */
type SocketId = {
  [Id in OperationId]: 'socket' extends Operations[Id]['answers'] ? Id : never
}[OperationId]

export type CallableId = Exclude<OperationId, SocketId>

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
    : z.input<Body> extends undefined
      ? unknown
      : Record<string, never> extends z.input<Body>
        ? { readonly body?: z.input<Body> }
        : { readonly body: z.input<Body> }

type Shown<T> = { [Key in keyof T]: T[Key] } & {}

/** What an operation is called with: the values of its path and query by their names, and its body. */
export type Input<Id extends OperationId> = Shown<
  PathInput<Parts<Operations[Id]>['path']> &
    QueryInput<Parts<Operations[Id]>['query']> &
    BodyInput<Parts<Operations[Id]>['body'], Parts<Operations[Id]>['accepts']>
>

type EventOf<Answered> = Answered extends { readonly events: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never

/** The events of an operation that can answer with them. */
export type EventFrom<Id extends EventId> = EventOf<Operations[Id]['answers']>

/** What a call returns. An operation that answers with either a page or events returns the page; see `stream`. */
export type Output<Id extends OperationId> = [Parts<Operations[Id]>['answers']] extends ['bytes']
  ? Promise<Bytes>
  : [EventOf<Parts<Operations[Id]>['answers']>] extends [never]
    ? Promise<z.output<Parts<Operations[Id]>['response']>>
    : z.output<Parts<Operations[Id]>['response']> extends undefined
      ? EventStream<EventOf<Parts<Operations[Id]>['answers']>>
      : Promise<z.output<Parts<Operations[Id]>['response']>>

/** A call without an input that it needs may leave it out. */
export type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

/** One method per operation. */
export type Methods = {
  readonly [Id in CallableId]: (...args: Arguments<Id>) => Output<Id>
}
