import type { EventActorKind, TimelineAction } from '@sandglass/protocol'
import type { ColumnType } from 'kysely'
import type { Written } from './columns.ts'

/** An action that was performed in a sandbox. */
export interface SandboxActionTable {
  number: ColumnType<string, never, never>
  org_id: Written<string>
  sandbox_id: Written<string>
  /** When it began. */
  at: Written<Date>
  actor_kind: Written<EventActorKind>
  actor_id: Written<string>
  source: Written<TimelineAction['source']>
  type: Written<string>
  /** Null if its arguments are not kept. It is written as text. */
  action: ColumnType<Record<string, unknown> | null, string | null, never>
  duration_ms: Written<number>
  outcome: Written<string>
  /** The name of its screenshot, which is the last part of the URL. */
  screenshot: Written<string | null>
}
