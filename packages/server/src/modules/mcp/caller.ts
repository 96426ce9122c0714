import type { FastifyRequest } from 'fastify'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { McpServerInUse } from '../mcp-servers/store.ts'

/** Who calls an MCP server, and by which request. */
export interface McpCaller {
  readonly server: McpServerInUse
  readonly member: OrganizationPrincipal
  readonly request: FastifyRequest
}
