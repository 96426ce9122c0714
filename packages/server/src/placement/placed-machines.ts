import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import { type MachineRow, selectMachine } from '../records/machines.ts'
import { selectTenant } from '../records/sandboxes.ts'

/** Announces to the node of a machine that this process has placed a sandbox there. PostgreSQL delivers it after the commit. */
export async function announcePlaced(tx: Tx, { id, node_id }: MachineRow): Promise<void> {
  await sql`SELECT pg_notify('placed_machines', ${`${node_id} ${id}`})`.execute(tx)
}

/**
 * Creates the machines that other processes place on this node. The next sweep or start finds those whose announcement
 * was missed.
 */
export class PlacedMachines {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #log: Logger

  constructor(db: Database, keeper: MachineKeeper, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#log = log
  }

  /** Returns false if the announcement is for another node. */
  announced(announcement: string): boolean {
    const [nodeId, id = ''] = announcement.split(' ')
    if (nodeId !== this.#keeper.nodeId) return false
    this.#takeUp(id).catch(error =>
      this.#log.warn({ machine: id, error }, 'a machine that was placed here was not taken up yet'),
    )
    return true
  }

  async #takeUp(id: string): Promise<void> {
    const row = await selectMachine(this.#db, id)
    const tenant = row?.state === 'claimed' ? await selectTenant(this.#db, id) : undefined
    if (tenant !== undefined) this.#keeper.handOut(id, tenant)
    if (row?.state === 'starting' && !this.#keeper.isAttended(id)) await this.#keeper.make(row, 'sandbox')
  }
}
