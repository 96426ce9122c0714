import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import { type MachineRow, selectMachine } from '../records/machines.ts'

/** Tells the node of a machine that another process has placed a sandbox there. It is heard after the commit. */
export async function announcePlaced(tx: Tx, { id, node_id }: MachineRow): Promise<void> {
  await sql`SELECT pg_notify('placed_machines', ${`${node_id} ${id}`})`.execute(tx)
}

/** Takes up what other processes place on this node. What is missed is found by the next sweep, or the next start. */
export class PlacedMachines {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #log: Logger

  constructor(db: Database, keeper: MachineKeeper, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#log = log
  }

  /** False where it is not for this node. */
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
    if (row?.state === 'claimed') this.#keeper.handOut(id)
    if (row?.state === 'starting' && !this.#keeper.isAttended(id)) await this.#keeper.make(row, 'sandbox')
  }
}
