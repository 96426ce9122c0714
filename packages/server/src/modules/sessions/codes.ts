import { ApiError, type SignInCode } from '@sandglass/protocol'
import { sql } from 'kysely'
import { heldBy } from '../../auth/held-credential.ts'
import type { Principal } from '../../auth/principal.ts'
import { hashOf, newSecret } from '../../auth/secret.ts'
import { findHolder } from '../../auth/stored-sessions.ts'
import type { Database, Tx } from '../../db/database.ts'
import { holderColumnsOf } from './store.ts'

/** How long a sign-in link is valid. */
const codeSeconds = 15 * 60

/** Creates a link with which a browser signs in once as this caller. */
export async function createCode(tx: Tx, principal: Principal, publicUrl: string): Promise<SignInCode> {
  if (principal.session) throw new ApiError('session.NEEDS_CREDENTIAL')
  const { text: code, hash } = newSecret('signInCode')
  const { expires_at: expiresAt } = await tx
    .insertInto('sign_in_codes')
    .values({
      ...holderColumnsOf(principal, null),
      hash,
      holder_expires_at: heldBy(principal).expiresAt,
      expires_at: sql<Date>`now() + make_interval(secs => ${codeSeconds})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  // Browsers do not send the fragment to servers, so no log contains the code.
  return { code, url: `${publicUrl}/sign-in#code=${code}`, expiresAt: expiresAt.toISOString() }
}

/** Finds whom a code signs in. Whether it can still be used is decided by {@link takeCode}. */
export async function findCodeHolder(db: Database, code: string): Promise<Principal | undefined> {
  const row = await db
    .selectFrom('sign_in_codes')
    .selectAll()
    .where('hash', '=', hashOf(code))
    .executeTakeFirst()
  const found = row && (await findHolder(db, row, row.holder_expires_at ?? row.expires_at))
  return found?.principal
}

/** Uses up a code. Throws if it was used before, or has expired. */
export async function takeCode(tx: Tx, code: string): Promise<void> {
  const row = await tx
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hashOf(code))
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`coalesce(holder_expires_at, 'infinity') > now()`)
    .returning('hash')
    .executeTakeFirst()
  if (!row) throw new ApiError('session.CODE_INVALID')
}
