import { ApiError, type ApiKey, type CreatedApiKey, type Role, roleAllows } from '@sandglass/protocol'
import { replaceSecret } from '../../auth/replaced-secrets.ts'
import { newSecret } from '../../auth/secret.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/append.ts'
import type { Offer } from '../operator-keys/rotations.ts'
import {
  insertKey,
  type KeyChanges,
  type KeyFields,
  type KeyRow,
  keyOf,
  lockKey,
  revokeKeyRow,
  selectKeys,
  updateKeyRow,
} from './store.ts'

/** Limits the size of the answer of listApiKeys, which is not paginated. */
export const maxKeys = 1000

/** Creates a key and returns its secret, which is never shown again. */
export async function createKey(tx: Tx, orgId: string, fields: KeyFields): Promise<CreatedApiKey> {
  const secret = newSecret('apiKey')
  const key = await insertKey(tx, orgId, fields, secret)
  const { name, prefix, role, expiresAt } = key
  await appendEvent(tx, {
    orgId,
    type: 'key.created',
    subject: key.id,
    data: { name, prefix, role, expiresAt },
  })
  return { ...key, apiKey: secret.text }
}

/** Creates a key whose role is at most that of the caller. */
export async function createKeyAs(
  tx: Tx,
  callerRole: Role,
  orgId: string,
  fields: KeyFields,
): Promise<CreatedApiKey> {
  requireRole(callerRole, fields.role)
  if ((await selectKeys(tx, orgId)).length >= maxKeys) throw new ApiError('apiKey.TOO_MANY')
  return createKey(tx, orgId, fields)
}

/** Changes a key. Neither its old nor its new role can be above that of the caller. */
export async function updateKeyAs(
  tx: Tx,
  callerRole: Role,
  orgId: string,
  id: string,
  changes: KeyChanges,
): Promise<ApiKey> {
  const before = await lockKeyAs(tx, callerRole, orgId, id)
  if (changes.role !== undefined) requireRole(callerRole, changes.role)
  const key = await updateKeyRow(tx, before, changes)
  const { name, role, expiresAt } = key
  await appendEvent(tx, { orgId, type: 'key.updated', subject: id, data: { name, role, expiresAt } })
  return key
}

/** Replaces the secret of a key, and returns the new one, which is never shown again. */
export async function rotateKeyAs(
  tx: Tx,
  callerRole: Role,
  orgId: string,
  id: string,
  graceSeconds: number,
  offer: Offer,
): Promise<CreatedApiKey> {
  const { hash: oldHash, ...row } = await lockKeyAs(tx, callerRole, orgId, id)
  const secret = newSecret('apiKey')
  const endsAt = await replaceSecret(tx, { kind: 'apiKey', id, oldHash, secret, graceSeconds })
  await offer(oldHash, secret.text)
  const { name } = row
  const { prefix } = secret
  await appendEvent(tx, {
    orgId,
    type: 'key.rotated',
    subject: id,
    data: { name, prefix, oldSecretEndsAt: endsAt.toISOString() },
  })
  return { ...keyOf(row), prefix, apiKey: secret.text }
}

export async function revokeKeyAs(tx: Tx, callerRole: Role, orgId: string, id: string): Promise<void> {
  const key = await lockKeyAs(tx, callerRole, orgId, id)
  await revokeKeyRow(tx, id)
  await appendEvent(tx, { orgId, type: 'key.revoked', subject: id, data: { name: key.name } })
}

async function lockKeyAs(tx: Tx, callerRole: Role, orgId: string, id: string): Promise<KeyRow> {
  const key = await lockKey(tx, orgId, id)
  if (!key) throw new ApiError('apiKey.NOT_FOUND')
  requireRole(callerRole, key.role)
  return key
}

function requireRole(held: Role, needed: Role): void {
  if (!roleAllows(held, needed))
    throw new ApiError('apiKey.ROLE_TOO_HIGH', {
      message: `The role of the key, ${needed}, is higher than the caller's own role, ${held}.`,
    })
}
