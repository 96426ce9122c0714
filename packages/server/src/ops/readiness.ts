import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { unavailability } from '../db/faults.ts'

/** Returns why the service is not ready, or undefined if this check passes. */
export type ReadinessCheck = () => string | undefined | Promise<string | undefined>

/** The conditions for sending calls to this process, by the name that /readyz shows. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

/** What does not work now although the service is ready: an engine that cannot make machines, or a resource that is short. */
export type Degradation = { readonly reason: string } & (
  | { readonly engine: string }
  | { readonly check: string }
)

export type Degraded = () => Promise<readonly Degradation[]>

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
