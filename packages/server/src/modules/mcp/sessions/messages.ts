import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** Returns the messages of a body as an array, because older revisions allow batches. */
export function messagesIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body]
}

export function requestsIn(messages: readonly unknown[]): JSONRPCRequest[] {
  return messages.filter(message => isJSONRPCRequest(message))
}

export function includesInitialize(messages: readonly unknown[]): boolean {
  return messages.some(message => isInitializeRequest(message))
}

/** Whether none of the messages needs a response. */
export function needNoResponse(messages: readonly unknown[]): boolean {
  return (
    messages.length > 0 &&
    messages.every(message => isJSONRPCNotification(message) || isJSONRPCResponse(message))
  )
}

const Cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
})

/** The ids of the requests that a client cancels. */
export function cancelledIn(messages: readonly unknown[]): RequestId[] {
  return messages.flatMap(message => {
    const { data } = Cancelled.safeParse(message)
    return data ? [data.params.requestId] : []
  })
}
