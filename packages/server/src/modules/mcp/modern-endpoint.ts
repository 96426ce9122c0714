import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { FastifyReply } from 'fastify'
import type { McpActivity } from './activity/activity.ts'
import { introductionOf } from './activity/introduction.ts'
import type { McpCaller } from './caller.ts'
import type { ProtocolServers } from './protocol-server.ts'
import type { ToolChanges, ToolWatch } from './tool-changes.ts'
import { sendResponse, webRequest } from './web.ts'

export interface ModernParts {
  readonly servers: ProtocolServers
  readonly changes: ToolChanges
  readonly activity: McpActivity
  /** Aborted when the service begins to close. */
  readonly closing: AbortSignal
}

/**
 * Serves revision 2026-07-28, which has no sessions, so any process can answer any request. A client that disconnects
 * cancels its request.
 */
export class ModernEndpoint {
  readonly #parts: ModernParts

  constructor(parts: ModernParts) {
    this.#parts = parts
  }

  async post(
    caller: McpCaller,
    body: unknown,
    reply: FastifyReply,
    gone: AbortSignal,
  ): Promise<FastifyReply> {
    const { servers, changes, activity, closing } = this.#parts
    const introduction = introductionOf(body)
    const client = activity.clientOfRequest(caller, introduction)
    const watch = isSubscription(body) ? changes.watch(caller.server) : undefined
    if (watch) reply.raw.once('close', () => watch.close())
    const signal = watch ? AbortSignal.any([gone, closing, watch.ended]) : gone
    const handler = createMcpHandler(
      () => servers.make(caller, call => activity.called(caller, client, call, introduction)),
      {
        legacy: 'reject',
        ...(watch && { bus: busOf(watch) }),
        onerror: error => caller.request.log.debug({ requestId: caller.request.id, error }, 'an MCP request'),
      },
    )
    return sendResponse(reply, await handler.fetch(webRequest(caller.request, signal), { parsedBody: body }))
  }
}

/**
 * Delivers changes of the tools to a subscription. Nothing is published here, because changes arrive through the
 * database.
 */
function busOf(watch: ToolWatch): ServerEventBus {
  return {
    publish: () => {},
    subscribe: listener => watch.onChange(() => listener({ kind: 'tools_list_changed' })),
  }
}

function isSubscription(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
  )
}
