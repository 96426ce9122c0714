import { isSpecType, type Tool } from '@modelcontextprotocol/server'
import { type McpPolicy, McpTools } from '@sandglass/protocol'
import { jsonSchema } from '@sandglass/protocol/tools'
import type { McpServerInUse } from '../../mcp-servers/store.ts'
import { type Catalogue, isPhone } from '../../shapes/catalogue.ts'
import { computerUse } from './computer-use.ts'
import { files } from './files.ts'
import { mobileUse } from './mobile-use.ts'
import { openUrl } from './open-url.ts'
import { deleteSandbox, recreateSandbox, restartSandbox } from './sandbox-tools.ts'
import { shell } from './shell.ts'
import type { AnyTool } from './tool.ts'
import { userTakeover } from './user-takeover.ts'

/** The properties of a server that decide which tools it has. */
export interface ToolChoice {
  readonly policy: McpPolicy
  readonly tools: Partial<McpTools>
  readonly isPhone: boolean
}

/** The tools that only a desktop has. */
const desktopTools: readonly AnyTool[] = [computerUse, shell, files, openUrl]

/** Returns the tools of a server in the order in which they are listed. */
export function toolsOf({ policy, tools, isPhone }: ToolChoice): readonly AnyTool[] {
  const isOn = McpTools.parse(tools)
  const inside = [...(isPhone ? [mobileUse] : desktopTools), userTakeover]
  return [
    ...inside.filter(({ name }) => isOn[name as keyof McpTools]),
    ...(policy.sandboxExposeRecreateTool ? [recreateSandbox] : []),
    ...(policy.sandboxExposeRestartTool ? [restartSandbox] : []),
    ...(policy.sandboxExposeDeleteTool ? [deleteSandbox] : []),
  ]
}

/** Returns the tools of a server with its current settings and shape. */
export function toolsOfServer(
  shapes: Catalogue,
  { policy, tools, shape_name: shape }: McpServerInUse,
): readonly AnyTool[] {
  return toolsOf({ policy, tools, isPhone: isPhone(shapes.find(shape)) })
}

const listings = new Map<AnyTool, Tool>()

/** Describes a tool for `tools/list`. */
export function listingOf(tool: AnyTool): Tool {
  const known = listings.get(tool)
  if (known) return known
  const { name, title, description, annotations } = tool
  const listing = {
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'output'),
  }
  if (!isSpecType.Tool(listing)) throw new Error(`${name} cannot be listed`)
  listings.set(tool, listing)
  return listing
}
