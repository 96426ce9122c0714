import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { OrganizationFacts, Principal } from './principal.ts'
import type { SecretKind } from './secret.ts'
import { earlier } from './valid-credentials.ts'

/** A principal, and the time until which its credential is valid. */
export interface Verified {
  readonly principal: Principal
  readonly expiresAt: Date | null
}

/** A secret is found by its hash, and by its id for what stands for it. */
export type SecretReference = { readonly hash: Buffer } | { readonly id: string }

/** Finds the holder of a secret. Revoked secrets are not found. */
export function findPrincipal(
  db: Database,
  kind: SecretKind,
  secret: SecretReference,
): Promise<Verified | undefined> {
  return lookups[kind](db, secret)
}

const lookups: Readonly<Record<SecretKind, typeof findApiKey>> = {
  apiKey: findApiKey,
  operator: findOperator,
  trialToken: findTrialToken,
}

async function findApiKey(db: Database, by: SecretReference): Promise<Verified | undefined> {
  const row = await db
    .selectFrom('api_keys as secret')
    .innerJoin('organizations as org', 'org.id', 'secret.org_id')
    .innerJoin('plans as plan', 'plan.name', 'org.plan')
    .leftJoin('replaced_secrets as replaced', join =>
      join.onRef('replaced.api_key_id', '=', 'secret.id').on('replaced.hash', '=', hashIn(by)),
    )
    .select(['secret.id', 'secret.role', 'secret.expires_at', 'replaced.ends_at', ...factColumns])
    .where(sql<boolean>`secret.id = ${keyBy('api_keys', 'api_key_id', by)}`)
    .where('secret.revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, role, expires_at, ends_at } = row
  const expiresAt = earlier(expires_at, ends_at)
  const secret = hashIn(by)?.toString('hex')
  return { principal: { kind: 'apiKey', id, role, expiresAt, secret, organization: factsOf(row) }, expiresAt }
}

/** Null if the secret is not known, but only what stands for it. */
function hashIn(by: SecretReference): Buffer | null {
  return 'hash' in by ? by.hash : null
}

/** The id of the key that is meant, or that has the secret with this hash, or had it until a rotation whose grace is not over. */
function keyBy(
  table: 'api_keys' | 'operator_keys',
  column: 'api_key_id' | 'operator_key_id',
  by: SecretReference,
) {
  if ('id' in by) return sql<string>`${by.id}`
  return sql<string>`coalesce((SELECT id FROM ${sql.table(table)} WHERE hash = ${by.hash}),
    (SELECT ${sql.ref(column)} FROM replaced_secrets WHERE hash = ${by.hash} AND ends_at > now()))`
}

async function findTrialToken(db: Database, by: SecretReference): Promise<Verified | undefined> {
  const row = await db
    .selectFrom('trial_tokens as secret')
    .innerJoin('organizations as org', 'org.id', 'secret.org_id')
    .innerJoin('plans as plan', 'plan.name', 'org.plan')
    .select(['secret.id', 'secret.expires_at', 'secret.sandbox_quota', 'secret.shape_names', ...factColumns])
    .where(is => ('id' in by ? is('secret.id', '=', by.id) : is('secret.hash', '=', by.hash)))
    .where('secret.revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    principal: {
      kind: 'trialToken',
      id: row.id,
      role: 'member',
      expiresAt: row.expires_at,
      organization: factsOf(row),
      sandboxQuota: row.sandbox_quota,
      shapeNames: row.shape_names,
    },
    expiresAt: row.expires_at,
  }
}

async function findOperator(db: Database, by: SecretReference): Promise<Verified | undefined> {
  const row = await db
    .selectFrom('operator_keys as secret')
    .leftJoin('replaced_secrets as replaced', join =>
      join.onRef('replaced.operator_key_id', '=', 'secret.id').on('replaced.hash', '=', hashIn(by)),
    )
    .select(['secret.id', 'replaced.ends_at as expiresAt'])
    .where(sql<boolean>`secret.id = ${keyBy('operator_keys', 'operator_key_id', by)}`)
    .where('secret.revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, expiresAt } = row
  return { principal: { kind: 'operator', id, expiresAt, secret: hashIn(by)?.toString('hex') }, expiresAt }
}

/** Used for bearer tokens, which name their organization in a claim. */
export async function findOrganizationFacts(
  db: Database,
  id: string,
): Promise<OrganizationFacts | undefined> {
  const row = await db
    .selectFrom('organizations as org')
    .innerJoin('plans as plan', 'plan.name', 'org.plan')
    .select(factColumns)
    .where('org.id', '=', id)
    .executeTakeFirst()
  return row && factsOf(row)
}

/** Stores the current time as the last use of these API keys. Callers limit this to one write per key and minute. */
export async function recordUse(db: Database, keyIds: readonly string[]): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: sql<Date>`now()` }).where('id', 'in', keyIds).execute()
}

const factColumns = ['org.id as orgId', 'plan.tier as planTier', 'org.feature_flags as featureFlags'] as const

function factsOf(row: { orgId: string; planTier: number; featureFlags: string[] }): OrganizationFacts {
  return { id: row.orgId, planTier: row.planTier, featureFlags: row.featureFlags }
}
