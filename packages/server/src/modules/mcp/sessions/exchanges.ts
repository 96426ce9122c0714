import { hash } from 'node:crypto'
import type { RequestId } from '@modelcontextprotocol/server'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

/** A request of a session that this process is answering. */
export interface Exchange {
  readonly sessionId: string
  readonly requestIds: readonly RequestId[]
  cancel(requestId: RequestId): void
  close(): void
}

/** The open exchanges of this process. A cancellation, or the end of a session, may be received by another process. */
export class Exchanges {
  readonly #db: Database
  readonly #open = new Set<Exchange>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns a function that removes the exchange. */
  enter(exchange: Exchange): () => void {
    this.#open.add(exchange)
    return () => this.#open.delete(exchange)
  }

  /** Tells the process that is answering a request to cancel it. */
  async announceCancellation(sessionId: string, requestId: RequestId): Promise<void> {
    await sql`SELECT pg_notify('mcp_cancellations', ${keyOf(sessionId, requestId)})`.execute(this.#db)
  }

  cancelled(key: string): void {
    for (const { sessionId, requestIds, cancel } of this.#open)
      for (const id of requestIds) if (keyOf(sessionId, id) === key) cancel(id)
  }

  sessionEnded(id: string): void {
    for (const exchange of this.#open) if (exchange.sessionId === id) exchange.close()
  }
}

/** Hashes the ids, because a client can choose an id that is longer than a notification may be. */
function keyOf(sessionId: string, requestId: RequestId): string {
  return hash('sha256', `${sessionId} ${JSON.stringify(requestId)}`)
}
