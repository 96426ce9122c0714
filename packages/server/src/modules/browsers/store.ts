import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { announceSandbox } from '../../records/sandboxes.ts'

/** Revokes all URLs of the browser of a sandbox by starting a new epoch. Every process closes what was opened with them. */
export async function revokeBrowserTokens(tx: Tx, sandboxId: string): Promise<void> {
  await tx
    .updateTable('sandboxes')
    .set({ browser_epoch: sql<number>`browser_epoch + 1` })
    .where('id', '=', sandboxId)
    .execute()
  await announceSandbox(tx, sandboxId)
}
