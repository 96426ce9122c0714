import type { CredentialKind, Role } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { SessionTable } from '../db/schema.ts'
import {
  findOrganizationFacts,
  findPrincipal,
  type SecretReference,
  type Verified,
} from './stored-credentials.ts'

export type SessionRow = Selectable<SessionTable>

/** What a session or a sign-in code stands for, as it is stored. */
export interface StoredHolder {
  readonly holder_kind: CredentialKind
  readonly holder_id: string
  readonly org_id: string | null
  readonly role: Role | null
}

/**
 * Finds who uses a session: the credential that it stands for, as that one is now. If `idleSeconds` is given, a session
 * that was not used for so long is not found.
 */
export async function findSession(
  db: Database,
  by: SecretReference,
  idleSeconds?: number,
): Promise<Verified | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where(is => ('id' in by ? is('id', '=', by.id) : is('hash', '=', by.hash)))
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(idleSeconds !== undefined, query =>
      query.where('last_used_at', '>', sql<Date>`now() - make_interval(secs => ${idleSeconds})`),
    )
    .executeTakeFirst()
  const holder = row && (await findHolder(db, row, row.expires_at))
  if (!holder) return undefined
  const { id, created_at: createdAt, address } = row
  const expiresAt = earlier(row.expires_at, holder.expiresAt)
  return { principal: { ...holder.principal, session: { id, createdAt, expiresAt, address } }, expiresAt }
}

/**
 * Finds the credential that something stands for, unless it is revoked. A user of the OpenID Connect issuer has no row, and
 * is believed until `userExpiresAt`.
 */
export async function findHolder(
  db: Database,
  { holder_kind: kind, holder_id: id, org_id: orgId, role }: StoredHolder,
  userExpiresAt: Date,
): Promise<Verified | undefined> {
  if (kind !== 'user') return findPrincipal(db, kind, { id })
  const organization = orgId === null ? undefined : await findOrganizationFacts(db, orgId)
  if (!organization || role === null) return undefined
  return { principal: { kind, id, role, expiresAt: userExpiresAt, organization }, expiresAt: userExpiresAt }
}

/** Stores the current time as the last use of these sessions. */
export async function recordSessionUse(db: Database, ids: readonly string[]): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: sql<Date>`now()` }).where('id', 'in', ids).execute()
}

function earlier(one: Date, other: Date | null): Date {
  return other !== null && other < one ? other : one
}
