import { z } from 'zod'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

const seconds = z.int().min(1).max(86_400)

const policy = {
  sandboxShape: z.string().min(1),
  sandboxMaxLifetimeSeconds: seconds.default(3600),
  sandboxMaxIdleTimeSeconds: seconds.default(3600),
  sandboxAutoCreation: z.boolean().default(false),
  sandboxExposeRecreateTool: z.boolean().default(false),
  sandboxExposeRestartTool: z.boolean().default(false),
  sandboxExposeDeleteTool: z.boolean().default(false),
}

export const McpServer = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Time,
    defaultMcpServer: z.boolean(),
    projectId: z.string(),
    currentSandboxId: z.string().nullable(),
    policy: z.object(policy),
  })
  .meta({ id: 'McpServer' })
export type McpServer = z.infer<typeof McpServer>

const servers = '/api/orgs/{orgId}/mcp-servers'
const drive = { to: 'organization', role: 'member' } as const

export const listMcpServers = operation({
  id: 'listMcpServers',
  tag: 'MCP servers',
  summary: 'The MCP servers of the organization.',
  method: 'GET',
  path: servers,
  access: { to: 'organization', role: 'viewer' },
  response: z.array(McpServer),
})

export const createMcpServer = operation({
  id: 'createMcpServer',
  tag: 'MCP servers',
  summary: 'Make an MCP server whose tools drive a sandbox of a shape.',
  method: 'POST',
  path: servers,
  access: drive,
  body: z.object({ name: Name, projectId: ProjectReference, ...policy }),
  response: McpServer,
  creates: true,
})

export const getDefaultMcpServer = operation({
  id: 'getDefaultMcpServer',
  tag: 'MCP servers',
  summary: 'The default MCP server, made on first use.',
  method: 'GET',
  path: `${servers}/default`,
  access: drive,
  response: McpServer,
})

export const deleteMcpServer = operation({
  id: 'deleteMcpServer',
  tag: 'MCP servers',
  summary: 'Delete an MCP server, and the sandbox that it made.',
  method: 'DELETE',
  path: `${servers}/{id}`,
  access: drive,
})

export const setMcpServerToSandbox = operation({
  id: 'setMcpServerToSandbox',
  tag: 'MCP servers',
  summary: 'Point an MCP server at a sandbox, or at none.',
  method: 'POST',
  path: `${servers}/{id}/sandbox`,
  access: drive,
  body: z.object({ sandboxId: z.string().min(1).nullable().default(null) }).prefault({}),
})
