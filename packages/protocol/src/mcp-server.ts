import { z } from 'zod'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

const seconds = z.int().min(1).max(86_400)

const policyFields = {
  sandboxShape: z.string().min(1).describe('The shape of the sandboxes that the server creates.'),
  sandboxMaxLifetimeSeconds: seconds.describe('For how many seconds such a sandbox lives.'),
  sandboxMaxIdleTimeSeconds: seconds.describe(
    'After how many seconds without a tool call, another call to it or the input of a viewer it ends.',
  ),
  sandboxAutoCreation: z
    .boolean()
    .describe('Whether a sandbox is created in advance; otherwise it is created when a tool needs one.'),
  sandboxExposeRecreateTool: z
    .boolean()
    .describe('Whether the assistant gets a tool that replaces the sandbox by a new one.'),
  sandboxExposeRestartTool: z.boolean().describe('Whether it gets a tool that restarts the sandbox.'),
  sandboxExposeDeleteTool: z.boolean().describe('Whether it gets a tool that deletes the sandbox.'),
}

/** How an MCP server manages its sandbox, and which tools for that an assistant gets. */
export const McpPolicy = z.object({
  ...policyFields,
  sandboxMaxLifetimeSeconds: policyFields.sandboxMaxLifetimeSeconds.default(3600),
  sandboxMaxIdleTimeSeconds: policyFields.sandboxMaxIdleTimeSeconds.default(3600),
  sandboxAutoCreation: policyFields.sandboxAutoCreation.default(false),
  sandboxExposeRecreateTool: policyFields.sandboxExposeRecreateTool.default(false),
  sandboxExposeRestartTool: policyFields.sandboxExposeRestartTool.default(false),
  sandboxExposeDeleteTool: policyFields.sandboxExposeDeleteTool.default(false),
})
export type McpPolicy = z.infer<typeof McpPolicy>

const isOn = z.boolean().default(true)

/** The tools that can be switched off per server. Tools that manage its sandbox are part of the policy. */
export const McpTools = z
  .object({
    'computer-use': isOn.describe('See the screen of a desktop, and use its mouse and keyboard.'),
    'mobile-use': isOn.describe('See the screen of a phone, and touch it.'),
    shell: isOn.describe('Run commands.'),
    files: isOn.describe('Read and write files.'),
    'open-url': isOn.describe('Open a page in the browser.'),
    'user-takeover': isOn.describe('Request a person, who takes over in the live view.'),
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
  name: Name.describe('The name of the server.'),
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
    name: Name.describe('The name of the server.'),
    ...policyFields,
    tools: z
      .partialRecord(McpTools.keyof(), z.boolean())
      .describe('Tools to switch on or off. The others stay as they are.'),
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
  examples: [
    { title: 'In the default project', body: { name: 'assistant', sandboxShape: '{shapeName}' } },
    {
      title: 'In another project',
      body: { name: 'assistant', sandboxShape: '{shapeName}', projectId: '{projectId}' },
    },
  ],
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
  examples: [{ body: { tools: { shell: false } } }],
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
  body: z
    .object({
      sandboxId: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .describe('The id of the sandbox; null or nothing removes the assignment.'),
    })
    .prefault({}),
  examples: [{ body: { sandboxId: '{sandboxId}' } }],
  errors: ['mcpServer.NOT_FOUND', 'sandbox.NOT_FOUND'],
})
