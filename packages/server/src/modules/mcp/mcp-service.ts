import type { Logger } from 'pino'
import type { Pool } from '../../db/database.ts'
import type { Channels } from '../../db/listener.ts'
import type { Housekeeping } from '../../housekeeping.ts'
import { SandboxSupply } from '../mcp-servers/sandbox-supply.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { RunningCalls } from './running-calls.ts'
import { Exchanges } from './sessions/exchanges.ts'
import { forgetOldSessions } from './sessions/store.ts'
import { ToolChanges } from './tool-changes.ts'
import { toolsOfServer } from './tools/index.ts'

const sweepEverySeconds = 30

/** What of MCP goes on between requests in this process, and hears what other processes announce. */
export class McpService {
  readonly supply: SandboxSupply
  readonly running = new RunningCalls()
  readonly changes: ToolChanges
  readonly exchanges: Exchanges
  readonly #pool: Pool
  readonly #log: Logger
  #started = false

  constructor(pool: Pool, sandboxes: SandboxParts, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.supply = new SandboxSupply(sandboxes, log)
    this.exchanges = new Exchanges(pool.db)
    this.changes = new ToolChanges(pool.prepared, server =>
      toolsOfServer(sandboxes.shapes, server)
        .map(({ name }) => name)
        .join(','),
    )
  }

  get channels(): Channels {
    const { running, changes, exchanges } = this
    return {
      mcp_server_changes: id => this.#do(changes.changed(id)),
      mcp_server_deletions: id => {
        changes.deleted(id)
        running.serverDeleted(id)
      },
      mcp_sandboxes_wanted: () => this.#do(this.#makeAhead()),
      mcp_cancellations: key => exchanges.cancelled(key),
      mcp_session_ends: id => exchanges.sessionEnded(id),
      sandbox_deletions: id => running.sandboxDeleted(id),
    }
  }

  /** The machines must have been taken up. What was announced before, or was missed, is seen to as well. */
  start(housekeeping: Housekeeping): void {
    this.#started = true
    this.#do(this.#makeAhead())
    housekeeping.every(sweepEverySeconds, 'looking after MCP servers', async () => {
      await this.#makeAhead()
      await this.changes.lookAtAll()
    })
    housekeeping.every(3600, 'forgetting old MCP sessions', () => forgetOldSessions(this.#pool.db))
  }

  async #makeAhead(): Promise<void> {
    if (this.#started) await this.supply.makeAhead()
  }

  /** What fails is done again by the next sweep. */
  #do(work: Promise<void>): void {
    work.catch(error => this.#log.warn({ error }, 'maintenance of an MCP server failed'))
  }
}
