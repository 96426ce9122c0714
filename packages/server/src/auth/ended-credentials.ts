import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Removes the API keys and trial tokens that ended more than a day ago. They can never be used again, and the events and the audit log
 * keep what happened to them. A trial token stays as long as there is a sandbox of it, which ends with the token. An API key that has
 * only expired stays, because its expiry can be changed.
 */
export async function forgetEndedCredentials(db: Database): Promise<void> {
  const aDayAgo = sql<Date>`now() - interval '1 day'`
  await db.deleteFrom('api_keys').where('revoked_at', '<', aDayAgo).execute()
  await db
    .deleteFrom('trial_tokens as token')
    .where(sql<boolean>`least(token.expires_at, token.revoked_at) < ${aDayAgo}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sandboxes')
            .select('id')
            .where('created_by', '=', sql<string>`'trialToken:' || token.id`),
        ),
      ),
    )
    .execute()
}
