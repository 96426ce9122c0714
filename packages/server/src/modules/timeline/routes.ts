import { listSandboxActions, roleAllows, type TimelineAction } from '@sandglass/protocol'
import type { Pool } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { Pictures } from '../../pictures/pictures.ts'
import { requireSeen } from '../events/ended-sandbox.ts'
import { type ActionRow, selectActions } from './store.ts'

export function serveTimeline(api: Api, pool: Pool, pictures: Pictures): void {
  api.serve(listSandboxActions, async ({ member, params, query }) => {
    const sandbox = await requireSeen(pool, member, params.sandboxId)
    const rows = await selectActions(pool.db, params, query)
    // Viewers see the screen, where a password is hidden that was typed into it.
    const showsArguments = roleAllows(member.role, 'member')
    const urlOf = async ({ screenshot }: ActionRow) =>
      // The screenshots of a sandbox are deleted when it ends.
      screenshot !== null && sandbox ? await pictures.keptUrl(screenshot) : undefined
    return {
      actions: await Promise.all(
        rows.map(async row => actionOf(row, (await urlOf(row)) ?? null, showsArguments)),
      ),
      nextCursor: (rows.length === query.limit && rows.at(-1)?.number) || null,
    }
  })
}

function actionOf(row: ActionRow, screenshotUrl: string | null, showsArguments: boolean): TimelineAction {
  return {
    id: row.number,
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    source: row.source,
    type: row.type,
    action: showsArguments ? row.action : null,
    durationMs: row.duration_ms,
    outcome: row.outcome,
    screenshotUrl,
  }
}
