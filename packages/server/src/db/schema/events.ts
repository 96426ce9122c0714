import type { EventActorKind, EventTypeName } from '@sandglass/protocol'
import type { ColumnType } from 'kysely'
import type { CreatedAt, Written } from './columns.ts'

/** The event log. Its order is position, then number. */
export interface EventTable {
  /** The id of the transaction that appended the event, shifted by the `shift` of {@link EventPositionTable}. */
  position: ColumnType<string, never, never>
  number: ColumnType<string, never, never>
  /** Null for events that only the operator sees. */
  org_id: Written<string | null>
  type: Written<EventTypeName>
  at: CreatedAt
  subject: Written<string>
  data: ColumnType<Record<string, unknown>, string, never>
  reason: Written<string | null>
  actor_kind: Written<EventActorKind>
  actor_id: Written<string>
}

/** A table with one row. */
export interface EventPositionTable {
  /** Added to transaction ids, so that they continue those of a database that was restored elsewhere. */
  shift: string
  /** The last event that was removed because of its age. */
  removed_position: string
  removed_number: string
}
