import type { Logger } from 'pino'
import type { Pool } from '../../db/database.ts'
import type { Channels } from '../../db/listener.ts'
import type { Housekeeping } from '../../housekeeping.ts'
import { SandboxSupply } from '../mcp-servers/sandbox-supply.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { McpActivity } from './activity/activity.ts'
import { forgetOldClients } from './activity/store.ts'
import { RunningCalls } from './running-calls.ts'
import { Exchanges } from './sessions/exchanges.ts'
import { forgetOldSessions } from './sessions/store.ts'
import { ToolChanges } from './tool-changes.ts'
import { toolsOfServer } from './tools/index.ts'

const sweepEverySeconds = 30

/** Holds the MCP state of this process that outlives a request, and handles notifications from other processes. */
export class McpService {
  readonly supply: SandboxSupply
  readonly running = new RunningCalls()
  readonly changes: ToolChanges
  readonly exchanges: Exchanges
  readonly activity: McpActivity
  readonly #pool: Pool
  readonly #log: Logger
  #started = false

  constructor(pool: Pool, sandboxes: SandboxParts, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.supply = new SandboxSupply(sandboxes, log)
    this.exchanges = new Exchanges(pool.db)
    this.activity = new McpActivity(pool.db, log)
    this.changes = new ToolChanges(pool.prepared, server =>
      toolsOfServer(sandboxes.shapes, server)
        .map(({ name }) => name)
        .join(','),
    )
  }

  get channels(): Channels {
    const { running, changes, exchanges } = this
    return {
      mcp_server_changes: id => this.#runInBackground(changes.changed(id)),
      mcp_server_deletions: id => {
        changes.deleted(id)
        running.serverDeleted(id)
      },
      mcp_sandboxes_wanted: () => this.#runInBackground(this.#createInAdvance()),
      mcp_cancellations: key => exchanges.cancelled(key),
      mcp_session_ends: id => exchanges.sessionEnded(id),
      sandbox_deletions: id => running.sandboxDeleted(id),
    }
  }

  /** Call this after the machines were recovered. It also handles notifications that came earlier or were missed. */
  start(housekeeping: Housekeeping): void {
    this.#started = true
    this.#runInBackground(this.#createInAdvance())
    housekeeping.every(sweepEverySeconds, 'looking after MCP servers', async () => {
      await this.#createInAdvance()
      await this.changes.checkAll()
    })
    housekeeping.forgetEvery(3600, 'forgetting old MCP sessions', async () => {
      await forgetOldSessions(this.#pool.db)
      await forgetOldClients(this.#pool.db)
    })
  }

  async #createInAdvance(): Promise<void> {
    if (this.#started) await this.supply.createInAdvance()
  }

  /** Only logs a failure, because the next sweep tries again. */
  #runInBackground(work: Promise<void>): void {
    work.catch(error => this.#log.warn({ error }, 'maintenance of an MCP server failed'))
  }
}
