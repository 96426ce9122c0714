import { type CallToolResult, isCallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '@sandglass/protocol'
import type { Peers } from '../../placement/peers/peers.ts'
import type { ToolCall } from './tool-call.ts'

/** The path, below the address of an MCP server, at which other processes of the service call its tools. */
export const callsPath = 'calls'

/** Forwards a tool call to the process that has the machine. */
export async function callElsewhere(
  peers: Pick<Peers, 'ask'>,
  nodeId: string,
  { caller, tool, arguments: given }: ToolCall,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const path = `/api/mcp/${encodeURIComponent(caller.server.id)}/${callsPath}`
  const body = { name: tool.name, arguments: given }
  const result = await peers.ask(caller.request, nodeId, { path, body, signal })
  if (!isCallToolResult(result)) throw new ApiError('service.INTERNAL')
  return result
}
