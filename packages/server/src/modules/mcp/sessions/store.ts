import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Prepared } from '../../../db/database.ts'

/** A session that was not used for this long is deleted. Its client then has to begin a new one. */
const forgottenAfterDays = 7

/** The limit per caller and MCP server. A new session replaces the least recently used one. */
const maxSessions = 1000

export async function insertSession(db: Database, serverId: string, caller: string): Promise<string> {
  const id = randomUUID()
  await db.insertInto('mcp_sessions').values({ id, server_id: serverId, caller }).execute()
  const tooMany = db
    .selectFrom('mcp_sessions')
    .select('id')
    .where('server_id', '=', serverId)
    .where('caller', '=', caller)
    .orderBy('seen_at', 'desc')
    .offset(maxSessions)
  await db.deleteFrom('mcp_sessions').where('id', 'in', tooMany).execute()
  return id
}

const seen = `WITH session AS (SELECT id, seen_at FROM mcp_sessions WHERE id = $1 AND server_id = $2 AND caller = $3),
    noted AS (UPDATE mcp_sessions SET seen_at = now()
      WHERE id IN (SELECT id FROM session WHERE seen_at < now() - interval '1 hour'))
  SELECT id FROM session`

/**
 * Whether the session exists for this caller and server. Its last use is recorded at most once per hour to save writes.
 */
export async function isSession(
  prepared: Prepared,
  id: string,
  serverId: string,
  caller: string,
): Promise<boolean> {
  const rows = await prepared<{ id: string }>('mcp-session-seen', seen, id, serverId, caller)
  return rows.length > 0
}

export async function deleteSession(db: Database, id: string): Promise<void> {
  await db.deleteFrom('mcp_sessions').where('id', '=', id).execute()
}

export async function forgetOldSessions(db: Database): Promise<void> {
  await db
    .deleteFrom('mcp_sessions')
    .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${forgottenAfterDays})`)
    .execute()
}
