import type { Prepared } from '../../db/database.ts'
import { type McpServerInUse, selectServer } from '../mcp-servers/store.ts'

/** A subscription to changes of the tools of an MCP server. */
export interface ToolWatch {
  /** Identifies the current set of tools. Equal sets have equal signatures. */
  readonly signature: string
  onChange(listener: () => void): () => void
  /** Aborted when the server is deleted. */
  readonly ended: AbortSignal
  close(): void
}

interface Watched {
  signature: string
  readonly listeners: Set<() => void>
  readonly end: AbortController
  watchers: number
}

/** Notifies listeners in this process when the tools of a server change, no matter which process changed them. */
export class ToolChanges {
  readonly #prepared: Prepared
  readonly #signatureOf: (server: McpServerInUse) => string
  readonly #watched = new Map<string, Watched>()

  constructor(prepared: Prepared, signatureOf: (server: McpServerInUse) => string) {
    this.#prepared = prepared
    this.#signatureOf = signatureOf
  }

  watch(server: McpServerInUse): ToolWatch {
    const { id } = server
    const watched = this.#watched.get(id) ?? {
      signature: this.#signatureOf(server),
      listeners: new Set(),
      end: new AbortController(),
      watchers: 0,
    }
    this.#watched.set(id, watched)
    watched.watchers++
    return {
      get signature() {
        return watched.signature
      },
      ended: watched.end.signal,
      onChange(listener) {
        watched.listeners.add(listener)
        return () => watched.listeners.delete(listener)
      },
      close: () => {
        if (--watched.watchers === 0 && this.#watched.get(id) === watched) this.#watched.delete(id)
      },
    }
  }

  /** Checks whether a change of a server affects its tools, and notifies the listeners if it does. */
  async changed(id: string): Promise<void> {
    const watched = this.#watched.get(id)
    const server = watched && (await selectServer(this.#prepared, id))
    if (!server) return
    const signature = this.#signatureOf(server)
    if (signature === watched.signature) return
    watched.signature = signature
    for (const listener of watched.listeners) listener()
  }

  deleted(id: string): void {
    this.#watched.get(id)?.end.abort(new Error('the MCP server was deleted'))
    this.#watched.delete(id)
  }

  /** Checks every watched server, because notifications may have been missed. */
  async checkAll(): Promise<void> {
    for (const id of [...this.#watched.keys()]) await this.changed(id)
  }
}
