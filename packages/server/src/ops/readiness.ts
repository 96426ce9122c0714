import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { unavailability } from '../db/faults.ts'

/** Why the service is not ready; undefined where nothing is wrong. */
export type ReadinessCheck = () => string | undefined | Promise<string | undefined>

/** What must hold before calls should be sent to this process, by the name that /readyz shows. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

/** The engines that make no machines now, each with the reason, though the service is ready. */
export type Degraded = () => Promise<readonly { readonly engine: string; readonly reason: string }[]>

export function databaseCheck(db: Database): ReadinessCheck {
  return async () => {
    try {
      await sql`SELECT 1`.execute(db)
      return undefined
    } catch (error) {
      return `${unavailability(error) ?? 'The database failed'}.`
    }
  }
}
