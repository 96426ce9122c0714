import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AuditWriter } from '../../audit/writer.ts'
import type { OpenByCredential } from '../../auth/open-by-credential.ts'
import type { Pool } from '../../db/database.ts'
import { disconnectSignal } from '../../http/api.ts'
import { parseInput } from '../../http/input.ts'
import type { Placement } from '../../placement/placement.ts'
import type { Settings } from '../../settings.ts'
import type { Execution } from '../actions/execution.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import type { PendingSandboxes } from '../sandboxes/pending-sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { addProtocolBody, bodyOf } from './body.ts'
import { callsPath } from './call-elsewhere.ts'
import type { McpCaller } from './caller.ts'
import { addCallers, callerOf } from './callers.ts'
import type { McpService } from './mcp-service.ts'
import { ModernEndpoint } from './modern-endpoint.ts'
import { ProtectedResource } from './protected-resource.ts'
import { ProtocolServers } from './protocol-server.ts'
import { SandboxLocator } from './sandbox-locator.ts'
import { SessionEndpoint } from './sessions/session-endpoint.ts'
import { ToolCalls } from './tool-calls.ts'
import { protocolError, sendResponse, webRequest } from './web.ts'

export interface McpParts {
  readonly settings: Settings
  readonly pool: Pool
  readonly audit: AuditWriter
  readonly sandboxes: SandboxParts
  readonly placement: Placement
  readonly router: SandboxRouter
  readonly pending: PendingSandboxes
  readonly execution: Execution
  readonly mcp: McpService
  readonly open: OpenByCredential
  readonly publicUrl: () => string
  /** Aborted when the service begins to close. */
  readonly closing: AbortSignal
}

const path = '/api/mcp/:mcpServerId'
const CallRequest = z.object({ name: z.string(), arguments: z.unknown() })

/** Serves the Model Context Protocol over streamable HTTP. Each MCP server has its own address. */
export function addMcpEndpoint(app: FastifyInstance, parts: McpParts): void {
  const { settings, pool, sandboxes, placement, mcp, publicUrl, closing } = parts
  const { running, changes, exchanges, activity } = mcp
  const locator = new SandboxLocator(
    sandboxes,
    placement,
    pool.prepared,
    parts.router,
    mcp.supply,
    parts.pending,
  )
  const { audit, execution } = parts
  const calls = new ToolCalls({ pool, audit, execution, running, locator, peers: placement.peers, publicUrl })
  const servers = new ProtocolServers(sandboxes.shapes, calls)
  const modern = new ModernEndpoint({ servers, changes, activity, closing })
  const sessions = new SessionEndpoint({
    pool,
    placement,
    servers,
    exchanges,
    changes,
    activity,
    open: parts.open,
    closing,
  })
  const resource = ProtectedResource.from(settings, publicUrl)
  resource?.serve(app)

  const challenge = ({ url }: FastifyRequest) => resource?.challenge(url.split('?', 1)[0] ?? '')
  const config = { access: { to: 'anyone' }, challenge } as const

  app.register(async scope => {
    addProtocolBody(scope)
    addCallers(scope, settings, pool.prepared)

    scope.post(path, { config }, async (request, reply) => {
      const body = bodyOf(request)
      if (!body) return sendResponse(reply, protocolError(400, -32700, 'Parse error: the body is not JSON.'))
      return post(callerOf(request), body.json, reply)
    })
    scope.get(path, { config, exposeHeadRoute: false }, (request, reply) =>
      sessions.get(callerOf(request), reply, disconnectSignal(reply)),
    )
    scope.delete(path, { config }, (request, reply) => sessions.delete(callerOf(request), reply))

    // Other processes of the service send a call here when this process has the machine.
    scope.post(`${path}/${callsPath}`, { config }, async (request, reply) => {
      const { name, arguments: given } = parseInput(CallRequest, bodyOf(request)?.json, 'body')
      const caller = callerOf(request)
      const tool = servers.tool(caller.server, name)
      return calls.call({ caller, tool, arguments: given, signal: disconnectSignal(reply) })
    })
  })

  async function post(caller: McpCaller, body: unknown, reply: FastifyReply): Promise<FastifyReply> {
    const isLegacy = await isLegacyRequest(webRequest(caller.request), body)
    return isLegacy
      ? sessions.post(caller, body, reply)
      : modern.post(caller, body, reply, disconnectSignal(reply))
  }
}
