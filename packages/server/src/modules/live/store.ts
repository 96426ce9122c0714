import { randomUUID } from 'node:crypto'
import type { LiveInvitation, LiveScope, Role } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import { hashOf } from '../../auth/secret.ts'
import { findSession } from '../../auth/stored-sessions.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LiveInvitationTable } from '../../db/schema.ts'

export type InvitationRow = Selectable<LiveInvitationTable>

const roomColumns = [
  'id',
  'org_id',
  'status',
  'machine_id',
  'node_id',
  'expires_at',
  'control',
  'person_called',
  'live_epoch',
] as const

export type RoomRow = NonNullable<Awaited<ReturnType<typeof selectRoom>>>

/** Selects the columns of a sandbox that its room needs. */
export async function selectRoom(db: Database, id: string) {
  return db.selectFrom('sandboxes').select(roomColumns).where('id', '=', id).executeTakeFirst()
}

export async function roomOfMachine(db: Database, machineId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sandboxes')
    .select('id')
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  return row?.id
}

/** Revokes all tokens and invitations of a sandbox by starting a new epoch. */
export async function revokeTokens(tx: Tx, sandboxId: string): Promise<void> {
  await tx.deleteFrom('live_invitations').where('sandbox_id', '=', sandboxId).execute()
  await tx
    .updateTable('sandboxes')
    .set({ live_epoch: sql<number>`live_epoch + 1` })
    .where('id', '=', sandboxId)
    .execute()
}

/** The role of a credential that is still valid, and its expiry. */
export interface ValidCredential {
  readonly role: Role
  readonly expiresAt: Date | null
}

/** Returns undefined if the credential is revoked or expired, or belongs to another organization. */
export async function selectValidCredential(
  db: Database,
  kind: 'apiKey' | 'trialToken',
  id: string,
  orgId: string,
): Promise<ValidCredential | undefined> {
  const isValid = sql<boolean>`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`
  if (kind === 'apiKey') {
    const key = await db
      .selectFrom('api_keys')
      .select(['role', 'expires_at'])
      .where('id', '=', id)
      .where('org_id', '=', orgId)
      .where(isValid)
      .executeTakeFirst()
    return key && { role: key.role, expiresAt: key.expires_at }
  }
  const trial = await db
    .selectFrom('trial_tokens')
    .select('expires_at')
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .where(isValid)
    .executeTakeFirst()
  return trial && { role: 'member', expiresAt: trial.expires_at }
}

/** Returns undefined if the session or the credential that it stands for has ended, or belongs to another organization. */
export async function selectValidSession(
  db: Database,
  id: string,
  orgId: string,
): Promise<ValidCredential | undefined> {
  const found = await findSession(db, { id })
  if (!found || found.principal.kind === 'operator' || found.principal.organization.id !== orgId)
    return undefined
  return { role: found.principal.role, expiresAt: found.expiresAt }
}

export interface NewInvitation {
  readonly sandboxId: string
  readonly code: string
  readonly scope: readonly LiveScope[]
  readonly createdBy: string
  readonly lifetimeSeconds: number
  /** The invitation expires at this time at the latest. */
  readonly until: Date
}

export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<InvitationRow> {
  return tx
    .insertInto('live_invitations')
    .values({
      id: randomUUID(),
      sandbox_id: invitation.sandboxId,
      hash: hashOf(invitation.code),
      scope: [...invitation.scope],
      created_by: invitation.createdBy,
      expires_at: sql<Date>`least(now() + make_interval(secs => ${invitation.lifetimeSeconds}), ${invitation.until})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Selects the invitations that have not expired. The expired ones are deleted later. */
export async function selectInvitations(db: Database | Tx, sandboxId: string): Promise<InvitationRow[]> {
  return db
    .selectFrom('live_invitations')
    .selectAll()
    .where('sandbox_id', '=', sandboxId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function findInvitation(
  db: Database,
  by: { readonly id: string } | { readonly code: string },
): Promise<InvitationRow | undefined> {
  const valid = db.selectFrom('live_invitations').selectAll().where('expires_at', '>', sql<Date>`now()`)
  const found = 'id' in by ? valid.where('id', '=', by.id) : valid.where('hash', '=', hashOf(by.code))
  return found.executeTakeFirst()
}

/** Returns false if there is no such invitation. */
export async function deleteInvitation(tx: Tx, sandboxId: string, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('live_invitations')
    .where('sandbox_id', '=', sandboxId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function forgetExpiredInvitations(db: Database): Promise<void> {
  await db.deleteFrom('live_invitations').where('expires_at', '<=', sql<Date>`now()`).execute()
}

export function invitationOf(row: InvitationRow): LiveInvitation {
  return {
    id: row.id,
    scope: row.scope,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }
}
