import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { ApiError } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'
import { heldBy } from '../../../auth/held-credential.ts'
import type { OpenByCredential } from '../../../auth/open-by-credential.ts'
import type { Pool } from '../../../db/database.ts'
import { sendEventText } from '../../../http/event-stream.ts'
import type { Placement } from '../../../placement/placement.ts'
import { authorOf } from '../../../records/sandboxes.ts'
import type { McpActivity } from '../activity/activity.ts'
import { introductionIn } from '../activity/introduction.ts'
import type { McpCaller } from '../caller.ts'
import type { ProtocolServers } from '../protocol-server.ts'
import type { ToolChanges } from '../tool-changes.ts'
import { accepted, protocolError, sendResponse, webRequest } from '../web.ts'
import { EventLog, positionOf } from './event-log.ts'
import type { Exchanges } from './exchanges.ts'
import { cancelledIn, includesInitialize, messagesIn, needNoResponse, requestsIn } from './messages.ts'
import { deleteSession, insertSession, isSession } from './store.ts'
import { toolNotices } from './tool-notices.ts'

export interface SessionParts {
  readonly pool: Pool
  readonly placement: Placement
  readonly servers: ProtocolServers
  readonly exchanges: Exchanges
  readonly activity: McpActivity
  readonly changes: ToolChanges
  readonly open: OpenByCredential
  /** Aborted when the service begins to close. */
  readonly closing: AbortSignal
}

/**
 * Serves the revisions before 2026-07-28, which have sessions. A session is only a row in the database and each request
 * is handled on its own, so any process can answer it. Only a response that is still running belongs to one process.
 */
export class SessionEndpoint {
  readonly #parts: SessionParts
  readonly #log: EventLog

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#log = new EventLog(parts.placement.nodeId)
  }

  async post(caller: McpCaller, body: unknown, reply: FastifyReply): Promise<FastifyReply> {
    const { pool, exchanges, activity } = this.#parts
    const messages = messagesIn(body)
    if (includesInitialize(messages)) {
      const id = await insertSession(pool.db, caller.server.id, authorOf(caller.member))
      void activity.sessionBegan(caller, id, introductionIn(messages))
      return this.#answer(caller, id, body, reply)
    }
    const id = await this.#session(caller)
    if (typeof id !== 'string') return sendResponse(reply, id.refusal)
    if (!needNoResponse(messages)) return this.#answer(caller, id, body, reply)
    for (const requestId of cancelledIn(messages)) await exchanges.announceCancellation(id, requestId)
    return sendResponse(reply, accepted())
  }

  /** Sends the rest of a response whose connection was lost, or notifications about changed tools. */
  async get(caller: McpCaller, reply: FastifyReply, gone: AbortSignal): Promise<FastifyReply> {
    const { placement, closing, changes, exchanges } = this.#parts
    const { headers } = caller.request
    if (!headers.accept?.includes('text/event-stream'))
      return sendResponse(
        reply,
        protocolError(406, -32000, 'A GET is answered by text/event-stream: accept that.'),
      )
    const id = await this.#session(caller)
    if (typeof id !== 'string') return sendResponse(reply, id.refusal)
    const lastId = headers['last-event-id']
    const position = typeof lastId === 'string' ? positionOf(lastId) : undefined
    const location = position && placement.locate({ node_id: position.nodeId })
    if (location?.at === 'node')
      try {
        return await placement.peers.forward(caller.request, reply, location.nodeId)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'node.GONE')
          return sendResponse(reply, eventsExpired())
        throw error
      }
    const ended = new AbortController()
    const leave = exchanges.enter({
      sessionId: id,
      requestIds: [],
      cancel: () => {},
      close: () => ended.abort(),
    })
    reply.raw.once('close', leave)
    const signal = AbortSignal.any([gone, closing, ended.signal])
    reply.header('mcp-session-id', id)
    if (!position) return sendEventText(reply, toolNotices(caller, changes, signal))
    const stream = this.#log.find(position, id)
    if (!stream) return sendResponse(reply, eventsExpired())
    return sendEventText(reply, stream.after(position.index, signal))
  }

  async delete(caller: McpCaller, reply: FastifyReply): Promise<FastifyReply> {
    const id = await this.#session(caller)
    if (typeof id !== 'string') return sendResponse(reply, id.refusal)
    await deleteSession(this.#parts.pool.db, id)
    return reply.code(200).send()
  }

  /** Returns the session that a request names, or the error response if there is none. */
  async #session({ request, server, member }: McpCaller): Promise<string | { refusal: Response }> {
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string')
      return {
        refusal: protocolError(
          400,
          -32000,
          'Mcp-Session-Id is missing. Call initialize first, and send the id that it returns.',
        ),
      }
    if (await isSession(this.#parts.pool.prepared, id, server.id, authorOf(member))) return id
    return { refusal: protocolError(404, -32001, 'There is no such session. Begin another with initialize.') }
  }

  /** Continues the response when the client loses its connection, because the client may come back for the rest. */
  async #answer(
    caller: McpCaller,
    sessionId: string,
    body: unknown,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const requestIds = requestsIn(messagesIn(body)).map(({ id }) => id)
    const stream = this.#log.open(sessionId, requestIds)
    const { activity, servers } = this.#parts
    const client = activity.clientOfSession(sessionId)
    const protocolServer = servers.make(caller, call => activity.called(caller, client, call))
    const transport = new WebStandardStreamableHTTPServerTransport({ eventStore: stream })
    await protocolServer.connect(transport)
    const close = () => {
      stream.cancel()
      void protocolServer.close()
    }
    const leave = this.#parts.exchanges.enter({
      sessionId,
      close,
      requestIds,
      cancel: requestId => {
        transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
        stream.cancelRequest(requestId)
      },
    })
    // The connection ends with the credential of the caller, and so does an answer that continues without it.
    const leaveCredential = this.#parts.open.enter(heldBy(caller.member), close)
    // Close on the next turn, because the library stores an event before it writes it.
    void stream.ended
      .then(() => setImmediate(() => void protocolServer.close()))
      .finally(() => {
        leave()
        leaveCredential()
      })
    const response = await transport.handleRequest(webRequest(caller.request), { parsedBody: body })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) stream.cancel()
    reply.header('mcp-session-id', sessionId)
    return sendResponse(reply, response)
  }
}

function eventsExpired(): Response {
  return protocolError(400, -32000, 'What followed this event is kept no longer. Send the request again.')
}
