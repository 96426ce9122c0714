import { ApiError, type CreatedApiKey, type Role, roleAllows } from '@sandglass/protocol'
import { newSecret } from '../../auth/secret.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/append.ts'
import { insertKey, type KeyFields, lockKey, revokeKeyRow, selectKeys } from './store.ts'

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

export async function revokeKeyAs(tx: Tx, callerRole: Role, orgId: string, id: string): Promise<void> {
  const key = await lockKey(tx, orgId, id)
  if (!key) throw new ApiError('apiKey.NOT_FOUND')
  requireRole(callerRole, key.role)
  await revokeKeyRow(tx, id)
  await appendEvent(tx, { orgId, type: 'key.revoked', subject: id, data: { name: key.name } })
}

function requireRole(held: Role, needed: Role): void {
  if (!roleAllows(held, needed))
    throw new ApiError('apiKey.ROLE_TOO_HIGH', {
      message: `The role of the key, ${needed}, is higher than the caller's own role, ${held}.`,
    })
}
