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

/** How an MCP server manages its sandbox, and which tools for that an assistant gets. */
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

/** The tools that can be switched off per server. Tools that manage its sandbox are part of the policy. */
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

const maxScreenshotSide = z
  .int()
  .min(320)
  .max(3840)
  .describe('Screenshots are scaled down for the model until neither side is longer than this, in pixels.')

/** Fields of createMcpServer that are additions to the contract. */
const McpAdditions = z.object({
  tools: McpTools.prefault({}).describe('Set a tool to false to switch it off.'),
  screenLongestSide: maxScreenshotSide.default(1280),
})

/** An MCP server whose tools drive one sandbox. */
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

/** The body of createMcpServer. */
export const CreateMcpServerRequest = z.object({
  name: Name,
  projectId: ProjectReference,
  ...McpPolicy.shape,
  // Published clients send "" by default.
  sandboxShape: z.string().describe('If "", the first shape that the plan includes.'),
  ...McpAdditions.shape,
})
export type CreateMcpServerRequest = z.infer<typeof CreateMcpServerRequest>

/** The body of updateMcpServer. Fields that are omitted stay as they are. */
export const UpdateMcpServerRequest = z
  .object({
    name: Name,
    ...policyFields,
    tools: z.partialRecord(McpTools.keyof(), z.boolean()),
    screenLongestSide: maxScreenshotSide,
  })
  .partial()
export type UpdateMcpServerRequest = z.infer<typeof UpdateMcpServerRequest>

const servers = '/api/orgs/{orgId}/mcp-servers'
const drive = { to: 'organization', role: 'member' } as const

export const listMcpServers = operation({
  id: 'listMcpServers',
  tag: 'MCP servers',
  summary: 'List the MCP servers of the organization.',
  method: 'GET',
  path: servers,
  access: { to: 'organization', role: 'viewer' },
  response: z.array(McpServer),
})

export const createMcpServer = operation({
  id: 'createMcpServer',
  tag: 'MCP servers',
  summary: 'Create an MCP server whose tools drive a sandbox of the given shape.',
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
  summary: 'Get the default MCP server, which is created on first use.',
  method: 'GET',
  path: `${servers}/default`,
  access: drive,
  response: McpServer,
  errors: ['shape.NOT_FOUND'],
})

export const updateMcpServer = operation({
  id: 'updateMcpServer',
  tag: 'MCP servers',
  summary:
    'Change the policy or the tools of an MCP server. Its current sandbox keeps its lifetime and idle time.',
  method: 'PATCH',
  path: `${servers}/{mcpServerId}`,
  access: drive,
  body: UpdateMcpServerRequest,
  response: McpServer,
  addition: true,
  errors: ['mcpServer.NOT_FOUND', 'shape.NOT_FOUND', 'shape.PLAN_TOO_LOW'],
})

export const deleteMcpServer = operation({
  id: 'deleteMcpServer',
  tag: 'MCP servers',
  summary: 'Delete an MCP server and the sandbox that it created.',
  method: 'DELETE',
  path: `${servers}/{mcpServerId}`,
  access: drive,
  errors: ['mcpServer.NOT_FOUND'],
})

export const setMcpServerToSandbox = operation({
  id: 'setMcpServerToSandbox',
  tag: 'MCP servers',
  summary: 'Assign a sandbox to an MCP server, or remove the assignment.',
  method: 'POST',
  path: `${servers}/{mcpServerId}/sandbox`,
  access: drive,
  body: z.object({ sandboxId: z.string().min(1).nullable().default(null) }).prefault({}),
  errors: ['mcpServer.NOT_FOUND', 'sandbox.NOT_FOUND'],
})
