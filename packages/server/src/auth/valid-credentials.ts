import { type Role, roleAllows } from '@sandglass/protocol'
import type { Prepared } from '../db/database.ts'
import { type HeldCredential, textOf } from './held-credential.ts'

interface Row {
  readonly text: string
  readonly expires_at: Date | null
  readonly role?: Role | null
  /** The hash of its secret. */
  readonly secret?: string | null
  readonly is_replaced?: boolean
}

const valid = `SELECT 'apiKey:' || id AS text, expires_at, role, encode(hash, 'hex') AS secret, false AS is_replaced
    FROM api_keys WHERE id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
  UNION ALL SELECT 'trialToken:' || id, expires_at, NULL, NULL, false FROM trial_tokens
    WHERE id = ANY($2) AND revoked_at IS NULL AND expires_at > now()
  UNION ALL SELECT 'operator:' || id, NULL, NULL, encode(hash, 'hex'), false FROM operator_keys
    WHERE id = ANY($3) AND revoked_at IS NULL
  UNION ALL SELECT coalesce('apiKey:' || api_key_id, 'operator:' || operator_key_id), ends_at, NULL,
    encode(hash, 'hex'), true FROM replaced_secrets
    WHERE (api_key_id = ANY($1) OR operator_key_id = ANY($3)) AND ends_at > now()`

/**
 * Returns for each of the credentials, in their order, its current expiry, or undefined if it is revoked or expired, its secret was
 * replaced, or its role is lower now. A token of the OIDC issuer has no row, and is valid until it expires.
 */
export async function selectValid(
  prepared: Prepared,
  credentials: readonly HeldCredential[],
): Promise<(HeldCredential | undefined)[]> {
  const idsOf = (kind: HeldCredential['kind']) =>
    credentials.filter(one => one.kind === kind).map(({ id }) => id)
  const rows = await prepared<Row>(
    'valid-credentials',
    valid,
    idsOf('apiKey'),
    idsOf('trialToken'),
    idsOf('operator'),
  )
  const found = Map.groupBy(rows, ({ text }) => text)
  return credentials.map(one => (one.kind === 'user' ? one : stillValid(one, found.get(textOf(one)) ?? [])))
}

function stillValid(one: HeldCredential, rows: readonly Row[]): HeldCredential | undefined {
  const key = rows.find(row => !row.is_replaced)
  if (!key || (one.role && key.role && !roleAllows(key.role, one.role))) return undefined
  if (one.secret === undefined || one.secret === key.secret) return { ...one, expiresAt: key.expires_at }
  const replaced = rows.find(row => row.is_replaced && row.secret === one.secret)
  return replaced && { ...one, expiresAt: earlier(key.expires_at, replaced.expires_at) }
}

/** Null is never. */
export function earlier(one: Date | null, other: Date | null): Date | null {
  return one && other ? (one < other ? one : other) : (one ?? other)
}
