import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What a client sent at once; older revisions allow a batch. */
export function messagesIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body]
}

export function requestsIn(messages: readonly unknown[]): JSONRPCRequest[] {
  return messages.filter(message => isJSONRPCRequest(message))
}

export function begins(messages: readonly unknown[]): boolean {
  return messages.some(message => isInitializeRequest(message))
}

/** Whether nothing of it wants an answer. */
export function wantsNoAnswer(messages: readonly unknown[]): boolean {
  return (
    messages.length > 0 &&
    messages.every(message => isJSONRPCNotification(message) || isJSONRPCResponse(message))
  )
}

const Cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
})

/** The requests that a client gives up. */
export function cancelledIn(messages: readonly unknown[]): RequestId[] {
  return messages.flatMap(message => {
    const { data } = Cancelled.safeParse(message)
    return data ? [data.params.requestId] : []
  })
}
