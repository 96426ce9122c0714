import { type CallToolResult, isCallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import { credentialHeaders, gone, passedOn } from '../nodes/forward.ts'
import { nodeUrl } from '../nodes/store.ts'
import type { ToolCall } from './tool-call.ts'

/** Where other processes of the service have tools called; below the address of the server. */
export const callsPath = 'calls'

/** Has a tool called by the process that has the machine. */
export class PassOn {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async call(
    nodeId: string | null,
    { caller, tool, arguments: given }: ToolCall,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { request, server } = caller
    const url = await nodeUrl(this.#db, nodeId)
    if (url === undefined || request.headers[passedOn]) throw gone()
    const answer = await fetch(`${url}/api/mcp/${encodeURIComponent(server.id)}/${callsPath}`, {
      method: 'POST',
      headers: {
        ...credentialHeaders(request),
        'content-type': 'application/json',
        'x-request-id': request.id,
        [passedOn]: '1',
      },
      body: JSON.stringify({ name: tool.name, arguments: given }),
      redirect: 'error',
      signal,
    }).catch(cause => {
      signal.throwIfAborted()
      throw gone(cause)
    })
    if (!answer.ok) throw await ApiError.from(answer)
    const result: unknown = await answer.json()
    if (!isCallToolResult(result)) throw new ApiError('service.INTERNAL')
    return result
  }
}
