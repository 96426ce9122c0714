import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

const clientFields = {
  name: z.string().nullable().describe('As the client calls itself; null if it does not.'),
  version: z.string().nullable(),
}

/** A client of an MCP server, such as an assistant. */
export const McpClient = z
  .object({
    id: z.string(),
    ...clientFields,
    protocolVersion: z
      .string()
      .nullable()
      .describe('The revision of the Model Context Protocol that it speaks.'),
    connectedAt: Time,
    lastCallAt: Time.nullable().describe('When it last called a tool; null if it has not yet.'),
    holder: z
      .object({ kind: z.enum(['apiKey', 'user', 'trialToken']), id: z.string() })
      .describe('Whose credential it uses.'),
  })
  .meta({ id: 'McpClient' })
export type McpClient = z.infer<typeof McpClient>

/** A call of a tool of an MCP server. */
export const McpCall = z
  .object({
    id: z.string(),
    at: Time,
    tool: z.string(),
    sandboxId: z.string().nullable().describe('null if the call did not get as far as a sandbox.'),
    durationMs: z.int().min(0),
    outcome: z
      .enum(['done', 'failed', 'cancelled'])
      .describe('failed: the answer to the assistant says what went wrong.'),
    client: z
      .object({ id: z.string().nullable().describe('null if the client was forgotten.'), ...clientFields })
      .nullable(),
  })
  .meta({ id: 'McpCall' })
export type McpCall = z.infer<typeof McpCall>

const server = '/api/orgs/{orgId}/mcp-servers/{mcpServerId}'
const read = { to: 'organization', role: 'viewer' } as const

export const listMcpServerClients = operation({
  id: 'listMcpServerClients',
  tag: 'MCP servers',
  summary:
    'List the clients of an MCP server, the one that was active last first. A client is forgotten when it ends its session, and after 7 days without a call.',
  method: 'GET',
  path: `${server}/clients`,
  access: read,
  response: z.array(McpClient),
  addition: true,
  errors: ['mcpServer.NOT_FOUND'],
})

export const listMcpServerCalls = operation({
  id: 'listMcpServerCalls',
  tag: 'MCP servers',
  summary: 'List the last calls of tools of an MCP server, the last one first. The last 200 are kept.',
  method: 'GET',
  path: `${server}/calls`,
  access: read,
  response: z.array(McpCall),
  addition: true,
  errors: ['mcpServer.NOT_FOUND'],
})
