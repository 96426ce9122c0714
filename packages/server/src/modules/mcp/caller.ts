import type { FastifyRequest } from 'fastify'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { McpServerInUse } from '../mcp-servers/store.ts'

/** The principal that calls an MCP server, and the request that it sent. */
export interface McpCaller {
  readonly server: McpServerInUse
  readonly member: OrganizationPrincipal
  readonly request: FastifyRequest
}
