import { type CredentialKind, type Role, roleAllows } from '@sandglass/protocol'
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

const sessions = `SELECT id, holder_kind AS "holderKind", holder_id AS "holderId", expires_at AS "expiresAt" FROM sessions
    WHERE id = ANY($1) AND expires_at > now()`

interface SessionHolder {
  readonly id: string
  readonly holderKind: CredentialKind
  readonly holderId: string
  readonly expiresAt: Date
}

/**
 * Returns each of the credentials, in their order, with its current expiry, or undefined if it is revoked or expired, its secret
 * was replaced, or its role is lower now. A token of the OIDC issuer has no row, and is valid until it expires. A session is
 * valid as long as the credential that it stands for, whichever secret that one has.
 */
export async function selectValid(
  prepared: Prepared,
  credentials: readonly HeldCredential[],
): Promise<(HeldCredential | undefined)[]> {
  const holders = await selectHolders(prepared, credentials)
  const found = await selectValidOwn(prepared, holders)
  return credentials.map((one, at) => {
    const [holder, current] = [holders[at], found[at]]
    return holder && current && { ...one, expiresAt: earlier(current.expiresAt, sessionEnd(one, holder)) }
  })
}

/** Returns what each credential depends on: itself, or what a session stands for, if that has not ended. */
async function selectHolders(
  prepared: Prepared,
  credentials: readonly HeldCredential[],
): Promise<(HeldCredential | undefined)[]> {
  const ids = credentials.filter(({ kind }) => kind === 'session').map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await prepared<SessionHolder>('valid-sessions', sessions, ids)
  const open = new Map(rows.map(row => [row.id, row]))
  return credentials.map(one => {
    if (one.kind !== 'session') return one
    const session = open.get(one.id)
    return (
      session && {
        kind: session.holderKind,
        id: session.holderId,
        expiresAt: session.expiresAt,
        role: one.role,
      }
    )
  })
}

function sessionEnd({ kind }: HeldCredential, holder: HeldCredential): Date | null {
  return kind === 'session' ? holder.expiresAt : null
}

async function selectValidOwn(
  prepared: Prepared,
  credentials: readonly (HeldCredential | undefined)[],
): Promise<(HeldCredential | undefined)[]> {
  const idsOf = (kind: HeldCredential['kind']) =>
    credentials.flatMap(one => (one?.kind === kind ? one.id : []))
  const rows = await prepared<Row>(
    'valid-credentials',
    valid,
    idsOf('apiKey'),
    idsOf('trialToken'),
    idsOf('operator'),
  )
  const found = Map.groupBy(rows, ({ text }) => text)
  return credentials.map(one =>
    !one || one.kind === 'user' ? one : stillValid(one, found.get(textOf(one)) ?? []),
  )
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
