import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { unavailability } from '../db/faults.ts'

/** Returns why the service is not ready, or undefined if this check passes. */
export type ReadinessCheck = () => string | undefined | Promise<string | undefined>

/** The conditions for sending calls to this process, by the name that /readyz shows. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

/** Returns the engines that cannot make machines now, each with the reason. The service is ready all the same. */
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
