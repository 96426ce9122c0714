import type { CallToolResult } from '@modelcontextprotocol/server'
import { parseArguments } from '@sandglass/protocol/tools'
import { KeyedMutex } from '@sandglass/supervision'
import type { AuditWriter } from '../../audit/writer.ts'
import type { Pool } from '../../db/database.ts'
import type { Peers } from '../../placement/peers/peers.ts'
import { actionQueue } from '../actions/action-queue.ts'
import type { Execution } from '../actions/execution.ts'
import { recordToolCall } from './audit.ts'
import { callElsewhere } from './call-elsewhere.ts'
import { Desktop } from './desktop.ts'
import { liveViewLink } from './live-view-link.ts'
import { rejectOnAbort } from './reject-on-abort.ts'
import type { RunningCall, RunningCalls } from './running-calls.ts'
import type { SandboxLocator } from './sandbox-locator.ts'
import type { ToolCall } from './tool-call.ts'
import { resultOfFailure } from './tool-failures.ts'

export interface ToolCallParts {
  readonly pool: Pool
  readonly audit: AuditWriter
  readonly execution: Execution
  readonly running: RunningCalls
  readonly locator: SandboxLocator
  readonly peers: Peers
  readonly publicUrl: () => string
}

/** Runs tool calls. The calls of one MCP server run one after the other, in the order in which they arrived. */
export class ToolCalls {
  readonly #parts: ToolCallParts
  readonly #queue = new KeyedMutex(actionQueue)

  constructor(parts: ToolCallParts) {
    this.#parts = parts
  }

  /**
   * Returns failures as results that tell the model what to do. It throws only if the caller has cancelled the call.
   */
  async call(call: ToolCall): Promise<CallToolResult> {
    const { caller, tool, signal } = call
    try {
      const input = parseArguments(tool, call.arguments)
      return await this.#parts.running.during(caller.server.id, running => {
        const combinedSignal = AbortSignal.any([signal, running.signal])
        // Stop waiting on abort, because a machine that is gone may never answer and would block the queue.
        const work = () =>
          Promise.race([this.#run(call, input, running, combinedSignal), rejectOnAbort(combinedSignal)])
        return Promise.race([
          this.#queue.run(caller.server.id, work, combinedSignal),
          rejectOnAbort(combinedSignal),
        ])
      })
    } catch (error) {
      signal.throwIfAborted()
      return resultOfFailure(error, caller.request.log)
    }
  }

  async #run(
    call: ToolCall,
    input: unknown,
    running: RunningCall,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { caller, tool } = call
    const { locator, peers, execution, pool, audit, publicUrl } = this.#parts
    if (tool.at === 'sandbox') {
      if (caller.server.current_sandbox_id !== null) call.onSandbox?.(caller.server.current_sandbox_id)
      const elsewhere = tool.isDoneAtMachine ? await locator.nodeElsewhere(caller) : undefined
      if (elsewhere !== undefined) return callElsewhere(peers, elsewhere, call, signal)
      await recordToolCall(audit, caller, tool.name, null)
      return tool.run(input, locator.control(caller, signal))
    }
    const found = await locator.find(caller, running, signal)
    if (running.sandboxId !== undefined) call.onSandbox?.(running.sandboxId)
    if ('elsewhere' in found) return callElsewhere(peers, found.elsewhere, call, signal)
    const { inside, end } = found
    const { id } = inside.sandbox
    try {
      if (tool.isRecorded) await recordToolCall(audit, caller, tool.name, id)
      return await tool.run(input, {
        inside,
        desktop: new Desktop(execution, inside, caller.server.screen_longest_side, signal),
        signal,
        viewLink: () => liveViewLink(pool, caller, inside.sandbox, publicUrl()),
      })
    } finally {
      end()
    }
  }
}
