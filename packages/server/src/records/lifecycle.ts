import type { Lifecycle } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { SandboxTable } from '../db/schema.ts'
import { inSeconds } from './life-clock.ts'

/** The columns that have the rules of a sandbox. */
type Rules = Pick<Selectable<SandboxTable>, 'on_timeout' | 'on_idle' | 'auto_resume' | 'idle_seconds'>

export function lifecycleOf({
  on_timeout: onTimeout,
  on_idle: onIdle,
  auto_resume: autoResume,
  idle_seconds,
}: Rules): Lifecycle {
  return { onTimeout, autoResume, ...(idle_seconds !== null && { idleSeconds: idle_seconds }), onIdle }
}

/** Whether the rules of a sandbox are other than those of one that was created without any. */
export function hasRules({ on_timeout, on_idle, auto_resume, idle_seconds }: Rules): boolean {
  return on_timeout !== 'delete' || on_idle !== 'delete' || auto_resume || idle_seconds !== null
}

export function columnsOf({ onTimeout, onIdle, autoResume, idleSeconds }: Lifecycle): Rules {
  return {
    on_timeout: onTimeout,
    on_idle: onIdle,
    auto_resume: autoResume,
    idle_seconds: idleSeconds ?? null,
  }
}

/** Changes the rules of a sandbox. Its idle time begins anew, unless it is asleep and would only be paused. */
export async function setLifecycle(tx: Tx, id: string, lifecycle: Lifecycle): Promise<void> {
  await tx
    .updateTable('sandboxes')
    .set({
      ...columnsOf(lifecycle),
      idle_at:
        lifecycle.idleSeconds === undefined
          ? null
          : sql<Date | null>`CASE WHEN NOT ((paused OR hibernated) AND ${lifecycle.onIdle}::text = 'pause')
              THEN ${inSeconds(lifecycle.idleSeconds)} END`,
    })
    .where('id', '=', id)
    .execute()
}
