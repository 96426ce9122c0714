import { hash } from 'node:crypto'
import type { RequestId } from '@modelcontextprotocol/server'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

/** A request of a session that is being answered. */
export interface Exchange {
  readonly sessionId: string
  readonly requestIds: readonly RequestId[]
  cancel(requestId: RequestId): void
  close(): void
}

/** What the sessions have open in this process: a cancellation, or the end of the session, may come to another. */
export class Exchanges {
  readonly #db: Database
  readonly #open = new Set<Exchange>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Gives back the function that ends it. */
  enter(exchange: Exchange): () => void {
    this.#open.add(exchange)
    return () => this.#open.delete(exchange)
  }

  /** Has a request cancelled by the process that answers it. */
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

/** Of one length, whatever a client takes for an id. */
function keyOf(sessionId: string, requestId: RequestId): string {
  return hash('sha256', `${sessionId} ${JSON.stringify(requestId)}`)
}
