import type { McpCaller } from './caller.ts'
import type { AnyTool } from './tools/tool.ts'

/** A tool call as it was received, with arguments that are not yet validated. */
export interface ToolCall {
  readonly caller: McpCaller
  readonly tool: AnyTool
  readonly arguments: unknown
  readonly signal: AbortSignal
  /** Called with the sandbox that the call works in, once it is known. */
  readonly onSandbox?: (sandboxId: string) => void
}
