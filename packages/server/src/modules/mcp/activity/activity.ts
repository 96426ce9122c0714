import { hash } from 'node:crypto'
import type { McpCall } from '@sandglass/protocol'
import type { Logger } from 'pino'
import { BatchedWrites } from '../../../db/batched-writes.ts'
import type { Database } from '../../../db/database.ts'
import { transact } from '../../../db/transact.ts'
import { authorOf } from '../../../records/sandboxes.ts'
import type { McpCaller } from '../caller.ts'
import type { Introduction } from './introduction.ts'
import { type CallRow, type ClientRow, insertCalls, insertClients, trimActivity } from './store.ts'

/** How many clients without a session are remembered, so that not every request of theirs writes. */
const maxRemembered = 1000

/** A call of a tool, when it is over. */
export interface FinishedCall {
  readonly tool: string
  readonly sandboxId: string | null
  readonly outcome: McpCall['outcome']
  readonly startedAt: Date
  readonly durationMs: number
}

interface Item {
  readonly client?: ClientRow
  readonly call?: CallRow
}

/** Notes who uses MCP servers, and what for. It is written after the answer, so that no call waits for it. */
export class McpActivity {
  readonly #log: Logger
  readonly #writes: BatchedWrites<Item>
  readonly #introduced = new Set<string>()

  constructor(db: Database, log: Logger) {
    this.#log = log
    this.#writes = new BatchedWrites(items =>
      transact(db, async tx => {
        const clients = items.flatMap(({ client }) => client ?? [])
        const calls = items.flatMap(({ call }) => call ?? [])
        await insertClients(tx, clients)
        await insertCalls(tx, calls)
        await trimActivity(tx, [...new Set([...clients, ...calls].map(({ server_id }) => server_id))])
      }),
    )
  }

  /** Returns the id of the client of a session, which says nothing about the id of the session. */
  clientOfSession(sessionId: string): string {
    return hash('sha256', `session ${sessionId}`).slice(0, 32)
  }

  /** Notes the client of a new session. */
  async sessionBegan(caller: McpCaller, sessionId: string, introduction: Introduction): Promise<void> {
    const id = this.clientOfSession(sessionId)
    await this.#write({ client: rowOf(id, caller, introduction, sessionId) })
  }

  /** Notes the client of a request without a session, and returns its id. Clients that say the same are one. */
  clientOfRequest(caller: McpCaller, introduction: Introduction): string {
    const { name, version, protocolVersion } = introduction
    const parts = [caller.server.id, authorOf(caller.member), name, version, protocolVersion]
    const id = hash('sha256', JSON.stringify(parts)).slice(0, 32)
    if (!this.#introduced.has(id)) {
      if (this.#introduced.size >= maxRemembered) this.#introduced.clear()
      this.#introduced.add(id)
      void this.#write({ client: rowOf(id, caller, introduction, null) })
    }
    return id
  }

  called(caller: McpCaller, clientId: string, call: FinishedCall, introduction?: Introduction): void {
    void this.#write({
      // It may have been forgotten since it was introduced.
      ...(introduction && { client: rowOf(clientId, caller, introduction, null) }),
      call: {
        server_id: caller.server.id,
        client_id: clientId,
        tool: call.tool,
        sandbox_id: call.sandboxId,
        outcome: call.outcome,
        at: call.startedAt.toISOString(),
        duration_ms: Math.round(call.durationMs),
      },
    })
  }

  #write(item: Item): Promise<void> {
    return this.#writes
      .add(item)
      .catch(error => this.#log.warn({ error }, 'a client or a call of an MCP server was not noted'))
  }
}

function rowOf(
  id: string,
  { server, member }: McpCaller,
  { name, version, protocolVersion }: Introduction,
  sessionId: string | null,
): ClientRow {
  return {
    id,
    server_id: server.id,
    session_id: sessionId,
    caller: authorOf(member),
    name,
    version,
    protocol_version: protocolVersion,
  }
}
