import type { CredentialKind } from '@sandglass/protocol'
import type { Prepared } from '../db/database.ts'
import { type HeldCredential, textOf } from './held-credential.ts'

const valid = `SELECT 'apiKey:' || id AS text, expires_at FROM api_keys
    WHERE id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
  UNION ALL SELECT 'trialToken:' || id, expires_at FROM trial_tokens
    WHERE id = ANY($2) AND revoked_at IS NULL AND expires_at > now()
  UNION ALL SELECT 'operator:' || id, NULL FROM operator_keys WHERE id = ANY($3) AND revoked_at IS NULL`

const sessions = `SELECT id, holder_kind AS "holderKind", holder_id AS "holderId", expires_at AS "expiresAt" FROM sessions
    WHERE id = ANY($1) AND expires_at > now()`

interface SessionHolder {
  readonly id: string
  readonly holderKind: CredentialKind
  readonly holderId: string
  readonly expiresAt: Date
}

/**
 * Returns those of the credentials that are neither revoked nor expired, by their text, with their current expiry. A
 * token of the OIDC issuer has no row, and is valid until it expires. A session is valid as long as the credential that it
 * stands for.
 */
export async function selectValid(
  prepared: Prepared,
  credentials: readonly HeldCredential[],
): Promise<Map<string, HeldCredential>> {
  const own = credentials.filter(({ kind }) => kind !== 'session')
  if (own.length === credentials.length) return selectValidOwn(prepared, own)
  const ids = credentials.filter(({ kind }) => kind === 'session').map(({ id }) => id)
  const held = await prepared<SessionHolder>('valid-sessions', sessions, ids)
  const holders = held.map(
    ({ holderKind: kind, holderId: id, expiresAt }): HeldCredential => ({ kind, id, expiresAt }),
  )
  const found = await selectValidOwn(prepared, [...own, ...holders])
  held.forEach(({ id, expiresAt }, index) => {
    const holder = holders[index] && found.get(textOf(holders[index]))
    if (!holder) return
    const isEarlier = holder.expiresAt !== null && holder.expiresAt < expiresAt
    const session: HeldCredential = {
      kind: 'session',
      id,
      expiresAt: isEarlier ? holder.expiresAt : expiresAt,
    }
    found.set(textOf(session), session)
  })
  return found
}

async function selectValidOwn(
  prepared: Prepared,
  credentials: readonly HeldCredential[],
): Promise<Map<string, HeldCredential>> {
  const idsOf = (kind: HeldCredential['kind']) =>
    credentials.filter(one => one.kind === kind).map(({ id }) => id)
  const rows = await prepared<{ text: string; expires_at: Date | null }>(
    'valid-credentials',
    valid,
    idsOf('apiKey'),
    idsOf('trialToken'),
    idsOf('operator'),
  )
  const expiries = new Map(rows.map(({ text, expires_at }) => [text, expires_at]))
  const found = new Map<string, HeldCredential>()
  for (const one of credentials) {
    const text = textOf(one)
    const expiresAt = expiries.get(text)
    if (one.kind === 'user') found.set(text, one)
    else if (expiresAt !== undefined) found.set(text, { ...one, expiresAt })
  }
  return found
}
