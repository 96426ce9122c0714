import { z } from 'zod'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

const seconds = z.int().min(1).max(86_400)

const policyFields = {
  sandboxShape: z.string().min(1),
  sandboxMaxLifetimeSeconds: seconds,
  sandboxMaxIdleTimeSeconds: seconds,
  sandboxAutoCreation: z.boolean(),
  sandboxExposeRecreateTool: z.boolean(),
  sandboxExposeRestartTool: z.boolean(),
  sandboxExposeDeleteTool: z.boolean(),
}

/** What a server does with its sandbox, and which tools about it an assistant is given. */
export const McpPolicy = z.object({
  ...policyFields,
  sandboxMaxLifetimeSeconds: seconds.default(3600),
  sandboxMaxIdleTimeSeconds: seconds.default(3600),
  sandboxAutoCreation: z.boolean().default(false),
  sandboxExposeRecreateTool: z.boolean().default(false),
  sandboxExposeRestartTool: z.boolean().default(false),
  sandboxExposeDeleteTool: z.boolean().default(false),
})
export type McpPolicy = z.infer<typeof McpPolicy>

const isOn = z.boolean().default(true)

/** The tools that can be switched off for a server; those about its sandbox are the policy's. */
export const McpTools = z
  .object({
    'computer-use': isOn,
    'mobile-use': isOn,
    shell: isOn,
    files: isOn,
    'open-url': isOn,
    'user-takeover': isOn,
  })
  .meta({ id: 'McpTools' })
export type McpTools = z.infer<typeof McpTools>

const longestSide = z
  .int()
  .min(320)
  .max(3840)
  .describe('Pictures are scaled down for the model until neither side is longer; in pixels.')

/** What createMcpServer takes beyond the contract. */
const McpAdditions = z.object({
  tools: McpTools.prefault({}).describe('Tools to switch off, by false.'),
  screenLongestSide: longestSide.default(1280),
})

export const McpServer = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Time,
    defaultMcpServer: z.boolean(),
    projectId: z.string(),
    currentSandboxId: z.string().nullable(),
    policy: McpPolicy,
    ...McpAdditions.shape,
  })
  .meta({ id: 'McpServer' })
export type McpServer = z.infer<typeof McpServer>

export const CreateMcpServerRequest = z.object({
  name: Name,
  projectId: ProjectReference,
  ...McpPolicy.shape,
  ...McpAdditions.shape,
})
export type CreateMcpServerRequest = z.infer<typeof CreateMcpServerRequest>

export const UpdateMcpServerRequest = z
  .object({
    name: Name,
    ...policyFields,
    tools: z.partialRecord(McpTools.keyof(), z.boolean()),
    screenLongestSide: longestSide,
  })
  .partial()
export type UpdateMcpServerRequest = z.infer<typeof UpdateMcpServerRequest>

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
  body: CreateMcpServerRequest,
  response: McpServer,
  creates: true,
  errors: ['shape.NOT_FOUND', 'shape.PLAN_TOO_LOW', 'project.NOT_FOUND', 'mcpServer.TOO_MANY'],
})

export const getDefaultMcpServer = operation({
  id: 'getDefaultMcpServer',
  tag: 'MCP servers',
  summary: 'The default MCP server, made on first use.',
  method: 'GET',
  path: `${servers}/default`,
  access: drive,
  response: McpServer,
  errors: ['shape.NOT_FOUND'],
})

export const updateMcpServer = operation({
  id: 'updateMcpServer',
  tag: 'MCP servers',
  summary: 'Change the policy or the tools of an MCP server. A sandbox that it has already keeps its times.',
  method: 'PATCH',
  path: `${servers}/{id}`,
  access: drive,
  body: UpdateMcpServerRequest,
  response: McpServer,
  addition: true,
  errors: ['mcpServer.NOT_FOUND', 'shape.NOT_FOUND', 'shape.PLAN_TOO_LOW'],
})

export const deleteMcpServer = operation({
  id: 'deleteMcpServer',
  tag: 'MCP servers',
  summary: 'Delete an MCP server, and the sandbox that it made.',
  method: 'DELETE',
  path: `${servers}/{id}`,
  access: drive,
  errors: ['mcpServer.NOT_FOUND'],
})

export const setMcpServerToSandbox = operation({
  id: 'setMcpServerToSandbox',
  tag: 'MCP servers',
  summary: 'Point an MCP server at a sandbox, or at none.',
  method: 'POST',
  path: `${servers}/{id}/sandbox`,
  access: drive,
  body: z.object({ sandboxId: z.string().min(1).nullable().default(null) }).prefault({}),
  errors: ['mcpServer.NOT_FOUND', 'sandbox.NOT_FOUND'],
})
