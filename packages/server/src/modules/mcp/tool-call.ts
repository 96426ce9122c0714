import type { McpCaller } from './caller.ts'
import type { AnyTool } from './tools/tool.ts'

/** A call of a tool, as it came. */
export interface ToolCall {
  readonly caller: McpCaller
  readonly tool: AnyTool
  readonly arguments: unknown
  readonly signal: AbortSignal
}
