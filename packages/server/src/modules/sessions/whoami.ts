import type { Whoami } from '@sandglass/protocol'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../db/database.ts'

/** Describes a caller to the caller. */
export async function describeCaller(db: Database, principal: Principal): Promise<Whoami> {
  const { kind, id, session } = principal
  const shared = {
    kind,
    id,
    name: await nameOf(db, principal),
    session: session
      ? {
          id: session.id,
          createdAt: session.createdAt.toISOString(),
          expiresAt: session.expiresAt.toISOString(),
        }
      : null,
  }
  if (principal.kind === 'operator')
    return { ...shared, role: null, organization: null, planTier: null, expiresAt: null }
  const { role, organization, expiresAt } = principal
  const { name } = await db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return {
    ...shared,
    role,
    organization: { id: organization.id, name },
    planTier: organization.planTier,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}

async function nameOf(db: Database, { kind, id, session }: Principal): Promise<string | null> {
  const tables = { apiKey: 'api_keys', trialToken: 'trial_tokens' } as const
  if (kind === 'apiKey' || kind === 'trialToken') return selectName(db, tables[kind], id)
  return session && kind === 'user' ? selectName(db, 'sessions', session.id) : null
}

async function selectName(
  db: Database,
  table: 'api_keys' | 'trial_tokens' | 'sessions',
  id: string,
): Promise<string | null> {
  const row = await db.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst()
  return row?.name ?? null
}
