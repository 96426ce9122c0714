import { randomUUID } from 'node:crypto'
import type { LiveInvitation, LiveScope, Role } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import { hashOf } from '../../auth/secret.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LiveInvitationTable } from '../../db/schema.ts'

export type InvitationRow = Selectable<LiveInvitationTable>

const roomColumns = [
  ...(['id', 'org_id', 'status', 'machine_id', 'node_id', 'expires_at'] as const),
  ...(['control', 'person_called', 'live_epoch'] as const),
] as const

export type RoomRow = NonNullable<Awaited<ReturnType<typeof selectRoom>>>

/** A sandbox as far as its room needs to know. */
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

/** No token of before holds from now on. */
export async function revokeTokens(tx: Tx, sandboxId: string): Promise<void> {
  await tx.deleteFrom('live_invitations').where('sandbox_id', '=', sandboxId).execute()
  await tx
    .updateTable('sandboxes')
    .set({ live_epoch: sql<number>`live_epoch + 1` })
    .where('id', '=', sandboxId)
    .execute()
}

/** What a credential that holds allows, and until when. */
export interface ValidCredential {
  readonly role: Role
  readonly expiresAt: Date | null
}

/** Undefined where the credential is gone, or not of this organization. */
export async function selectValidCredential(
  db: Database,
  kind: 'apiKey' | 'trialToken',
  id: string,
  orgId: string,
): Promise<ValidCredential | undefined> {
  const holds = sql<boolean>`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`
  if (kind === 'apiKey') {
    const key = await db
      .selectFrom('api_keys')
      .select(['role', 'expires_at'])
      .where('id', '=', id)
      .where('org_id', '=', orgId)
      .where(holds)
      .executeTakeFirst()
    return key && { role: key.role, expiresAt: key.expires_at }
  }
  const trial = await db
    .selectFrom('trial_tokens')
    .select('expires_at')
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .where(holds)
    .executeTakeFirst()
  return trial && { role: 'member', expiresAt: trial.expires_at }
}

export interface NewInvitation {
  readonly sandboxId: string
  readonly code: string
  readonly scope: readonly LiveScope[]
  readonly createdBy: string
  readonly lifetimeSeconds: number
  /** It ends then at the latest. */
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

/** Those that still hold; the others are forgotten. */
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
  const holding = db.selectFrom('live_invitations').selectAll().where('expires_at', '>', sql<Date>`now()`)
  const found = 'id' in by ? holding.where('id', '=', by.id) : holding.where('hash', '=', hashOf(by.code))
  return found.executeTakeFirst()
}

/** False where there is none. */
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
