import { ApiError } from '@sandglass/protocol'

/** A call that is running in this process. */
export interface RunningCall {
  readonly serverId: string
  /** The sandbox that the call works in, once it is known. */
  sandboxId: string | undefined
  /** Aborted with a reason when the MCP server or the sandbox of the call is deleted. */
  readonly signal: AbortSignal
}

interface Entry extends RunningCall {
  readonly end: AbortController
}

/** The calls that are running in this process. A call is aborted when its MCP server or its sandbox is deleted. */
export class RunningCalls {
  readonly #entries = new Set<Entry>()

  async during<T>(serverId: string, work: (call: RunningCall) => Promise<T>): Promise<T> {
    const end = new AbortController()
    const entry: Entry = { serverId, sandboxId: undefined, signal: end.signal, end }
    this.#entries.add(entry)
    try {
      return await work(entry)
    } finally {
      this.#entries.delete(entry)
    }
  }

  serverDeleted(id: string): void {
    for (const { serverId, end } of this.#entries)
      if (serverId === id)
        end.abort(
          new ApiError('mcpServer.NOT_FOUND', {
            message: 'The MCP server was deleted while the call was running.',
          }),
        )
  }

  sandboxDeleted(id: string): void {
    for (const { sandboxId, end } of this.#entries)
      if (sandboxId === id) end.abort(new ApiError('mcpServer.SANDBOX_GONE'))
  }

  get count(): number {
    return this.#entries.size
  }
}
