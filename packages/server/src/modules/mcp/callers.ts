import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorize } from '../../auth/authorize.ts'
import type { Prepared } from '../../db/database.ts'
import type { Settings } from '../../settings.ts'
import { selectServer } from '../mcp-servers/store.ts'
import type { McpCaller } from './caller.ts'
import { AllowedOrigins } from './origins.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that was admitted to an MCP server. */
    mcpCaller: McpCaller | undefined
  }
}

const useAccess = { to: 'organization', role: 'member', trial: true } as const

/**
 * Finds the server and authorizes the caller before the body is read. A server of another organization is reported as
 * not found.
 */
export function addCallers(scope: FastifyInstance, settings: Settings, prepared: Prepared): void {
  const origins = new AllowedOrigins(settings)
  scope.decorateRequest('mcpCaller', undefined)
  scope.addHook('onRequest', async request => {
    origins.require(request)
    const { principal, params } = request
    const server = await selectServer(prepared, (params as { mcpServerId: string }).mcpServerId)
    if (!server || !principal || principal.kind === 'operator' || principal.organization.id !== server.org_id)
      throw new ApiError('mcpServer.NOT_FOUND')
    authorize(useAccess, principal, server.org_id)
    request.mcpCaller = { server, member: principal, request }
  })
}

export function callerOf({ mcpCaller }: FastifyRequest): McpCaller {
  if (!mcpCaller) throw new Error('an MCP server was reached without a caller')
  return mcpCaller
}
