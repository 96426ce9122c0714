import { randomUUID } from 'node:crypto'
import type { CredentialKind, OrganizationSession, Role, Session } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Principal } from '../../auth/principal.ts'
import type { Secret } from '../../auth/secret.ts'
import type { SessionRow } from '../../auth/stored-sessions.ts'
import type { Database, Tx } from '../../db/database.ts'

/** Limits the size of the lists of sessions, which have no pages. */
const maxListed = 1000

/** The columns that say what a session or a sign-in code stands for. */
export interface HolderColumns {
  readonly holder_kind: CredentialKind
  readonly holder_id: string
  readonly org_id: string | null
  readonly role: Role | null
  readonly name: string | null
}

/** Only a user of the OpenID Connect issuer has a role and a name of its own here. */
export function holderColumnsOf(principal: Principal, name: string | null): HolderColumns {
  const { kind, id } = principal
  return {
    holder_kind: kind,
    holder_id: id,
    org_id: kind === 'operator' ? null : principal.organization.id,
    role: kind === 'user' ? principal.role : null,
    name: kind === 'user' ? name : null,
  }
}

export interface NewSession {
  readonly holder: HolderColumns
  readonly secret: Secret
  readonly hours: number
  /** It ends at this time at the latest. */
  readonly until: Date | null
  readonly address: string
  readonly userAgent: string | undefined
}

export async function insertSession(tx: Tx, session: NewSession): Promise<SessionRow> {
  return tx
    .insertInto('sessions')
    .values({
      ...session.holder,
      id: randomUUID(),
      hash: session.secret.hash,
      expires_at: sql<Date>`least(now() + make_interval(secs => ${session.hours * 3600}), ${session.until}::timestamptz)`,
      address: session.address,
      user_agent: session.userAgent?.slice(0, 300) ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes the oldest sessions of a holder that are too many. */
export async function deleteSurplus(tx: Tx, holder: HolderColumns, max: number): Promise<void> {
  const surplus = ofHolder(tx, holder).select('id').orderBy('created_at', 'desc').orderBy('id').offset(max)
  await tx.deleteFrom('sessions').where('id', 'in', surplus).execute()
}

export async function deleteByHash(tx: Tx, hash: Buffer): Promise<void> {
  await tx.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** Returns false if the holder has no such session. */
export async function deleteOwnSession(tx: Tx, id: string, holder: HolderColumns): Promise<boolean> {
  const own = ofHolder(tx, holder).select('id').where('id', '=', id)
  const row = await tx.deleteFrom('sessions').where('id', 'in', own).returning('id').executeTakeFirst()
  return row !== undefined
}

/** Returns false if the organization has no such session. */
export async function deleteSessionOf(tx: Tx, id: string, orgId: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The sessions of a holder that have not ended, newest first. */
export async function selectOwnSessions(
  db: Database,
  holder: HolderColumns,
  idleSeconds: number,
  current: string | undefined,
): Promise<Session[]> {
  const rows = await ofHolder(db, holder)
    .selectAll()
    .where(isAlive(idleSeconds))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(maxListed)
    .execute()
  return rows.map(row => sessionOf(row, current))
}

/** The sessions of an organization that have not ended, newest first. */
export async function selectSessionsOf(
  db: Database,
  orgId: string,
  idleSeconds: number,
  current: string | undefined,
): Promise<OrganizationSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('api_keys as key', join =>
      join.onRef('key.id', '=', 'sessions.holder_id').on('sessions.holder_kind', '=', 'apiKey'),
    )
    .leftJoin('trial_tokens as trial', join =>
      join.onRef('trial.id', '=', 'sessions.holder_id').on('sessions.holder_kind', '=', 'trialToken'),
    )
    .selectAll('sessions')
    .select(sql<string | null>`coalesce(key.name, trial.name, sessions.name)`.as('holderName'))
    .where('sessions.org_id', '=', orgId)
    .where(isAlive(idleSeconds))
    .where(sql<boolean>`coalesce(key.expires_at, trial.expires_at, 'infinity') > now()`)
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id')
    .limit(maxListed)
    .execute()
  return rows.map(row => ({
    ...sessionOf(row, current),
    holder: { kind: row.holder_kind, id: row.holder_id, name: row.holderName },
  }))
}

/** Deletes the sessions and codes that have ended by themselves. */
export async function forgetEndedSessions(db: Database, idleSeconds: number): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where(sql<boolean>`NOT ${isAlive(idleSeconds)}`)
    .execute()
  await db.deleteFrom('sign_in_codes').where('expires_at', '<=', sql<Date>`now()`).execute()
}

function isAlive(idleSeconds: number) {
  return sql<boolean>`(sessions.expires_at > now() AND sessions.last_used_at > now() - make_interval(secs => ${idleSeconds}))`
}

function ofHolder(db: Database | Tx, { holder_kind, holder_id, org_id }: HolderColumns) {
  return db
    .selectFrom('sessions')
    .where('holder_kind', '=', holder_kind)
    .where('holder_id', '=', holder_id)
    .where('org_id', 'is not distinct from', org_id)
}

function sessionOf(row: SessionRow, current: string | undefined): Session {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    address: row.address,
    userAgent: row.user_agent,
    isCurrent: row.id === current,
  }
}
