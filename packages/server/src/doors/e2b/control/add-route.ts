import type { Operation } from '@sandglass/protocol'
import type { HTTPMethods } from 'fastify'
import type { ControlCall } from './control-call.ts'

/** What a route answers with. Without a status it is 200, and 204 if there is no body. */
interface Answer {
  readonly status?: number
  readonly body?: unknown
}

/** Adds a route of the control plane. The operation is what the audit log has of a refused call. */
export type AddRoute = (
  method: HTTPMethods,
  paths: readonly string[],
  operation: Operation,
  handle: (call: ControlCall) => Promise<Answer>,
) => void
