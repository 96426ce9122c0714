import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { version } from '../../version.ts'
import type { McpServerInUse } from '../mcp-servers/store.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import type { FinishedCall } from './activity/activity.ts'
import type { McpCaller } from './caller.ts'
import { withProgress } from './progress.ts'
import type { ToolCalls } from './tool-calls.ts'
import { listingOf, toolsOfServer } from './tools/index.ts'
import type { AnyTool } from './tools/tool.ts'

const instructions =
  'These tools use a computer of your own: a sandbox, in which you can do no harm. It is created when a tool first needs it, which may take a few seconds. Look at the screen before and after you act.'

/** Shared by all requests, because the library would otherwise create a validator for each of them. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/**
 * Creates protocol servers for the tools of MCP servers. Each instance of the library's `Server` handles one request.
 */
export class ProtocolServers {
  readonly #shapes: Catalogue
  readonly #calls: ToolCalls

  constructor(shapes: Catalogue, calls: ToolCalls) {
    this.#shapes = shapes
    this.#calls = calls
  }

  tool(server: McpServerInUse, name: string): AnyTool {
    const tools = toolsOfServer(this.#shapes, server)
    const tool = tools.find(known => known.name === name)
    if (tool) return tool
    const names = tools.map(known => known.name).join(', ')
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${name}. The available tools are ${names}.`,
    )
  }

  /** `client` receives what becomes of each call of a tool. */
  make(caller: McpCaller, client: (call: FinishedCall) => void): Server {
    const { server } = caller
    const protocolServer = new Server(
      { name: 'sandglass', title: server.name, version },
      { capabilities: { tools: { listChanged: true } }, instructions, jsonSchemaValidator },
    )
    protocolServer.setRequestHandler('tools/list', () => ({
      tools: toolsOfServer(this.#shapes, server).map(listingOf),
    }))
    protocolServer.setRequestHandler('tools/call', ({ params }, context: ServerContext) => {
      const tool = this.tool(server, params.name)
      const { signal } = context.mcpReq
      return withProgress(context, () =>
        noted(client, tool.name, onSandbox =>
          this.#calls.call({ caller, tool, arguments: params.arguments, signal, onSandbox }),
        ),
      )
    })
    return protocolServer
  }
}

/** Runs a call of a tool, and passes on what became of it. */
async function noted(
  note: (call: FinishedCall) => void,
  tool: string,
  run: (onSandbox: (id: string) => void) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const startedAt = new Date()
  const began = performance.now()
  let sandboxId: string | null = null
  let outcome: FinishedCall['outcome'] = 'cancelled'
  try {
    const result = await run(id => {
      sandboxId = id
    })
    outcome = result.isError ? 'failed' : 'done'
    return result
  } finally {
    note({ tool, sandboxId, outcome, startedAt, durationMs: performance.now() - began })
  }
}
