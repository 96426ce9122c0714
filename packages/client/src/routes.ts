import type { Operation } from '@sandglass/protocol'
import * as protocol from '@sandglass/protocol'
import type { OperationId } from './operations.ts'

/** What a call needs to know of its operation. */
export interface Route {
  readonly id: string
  readonly method: Operation['method']
  readonly path: string
  readonly answers: 'json' | 'bytes' | 'events' | 'socket'
  /** The type of the bytes that it answers with. */
  readonly mediaType: string
  /** It can answer with events if it is asked to. */
  readonly streams: boolean
  /** It runs until it is done, so it has no time limit unless the caller gives one. */
  readonly isLong: boolean
  /**
   * A second attempt does what the first would have done, if it creates something by means of an idempotency key. What is shown once,
   * such as a new API key, is not in the answer to a second attempt, so its operation is not repeated.
   */
  readonly isRepeatable: boolean
  /** It takes an idempotency key. */
  readonly creates: boolean
}

function isOperation(value: unknown): value is Operation {
  return (
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value && 'method' in value
  )
}

function routeOf(operation: Operation): Route {
  const {
    id,
    method,
    path,
    answers,
    mediaType = 'application/octet-stream',
    response,
    long,
    pure,
    creates,
    secrets,
  } = operation
  const streams = typeof answers === 'object'
  return {
    id,
    method,
    path,
    answers: typeof answers === 'string' ? answers : streams && !response ? 'events' : 'json',
    mediaType,
    streams,
    isLong: long === true,
    isRepeatable:
      pure === true || ['GET', 'PUT', 'DELETE'].includes(method) || (creates === true && !secrets),
    creates: creates === true,
  }
}

/**
 * The routes of all operations. The build of the published package replaces this module by its value, so that the package does not
 * contain the schemas of the protocol.
 */
export const routes = Object.fromEntries(
  Object.values<unknown>(protocol)
    .filter(isOperation)
    .map(operation => [operation.id, routeOf(operation)]),
) as Readonly<Record<OperationId, Route>>
