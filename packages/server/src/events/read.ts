import type { EventTypeName, LoggedEvent } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { EventTable } from '../db/schema.ts'
import { eventIdOf, knownPosition } from './position.ts'

/** Which events to read. All given fields must match. */
export interface EventFilter {
  /** Null for events of the service itself. If it is omitted, the events of all organizations match. */
  readonly orgId?: string | null | undefined
  readonly types?: readonly EventTypeName[] | undefined
  readonly subject?: string | undefined
  readonly since?: Date | undefined
  readonly before?: Date | undefined
}

export interface EventPage extends EventFilter {
  readonly order: 'oldest' | 'newest'
  /** The id of an event. Only those beyond it are read, in the direction of `order`. */
  readonly beyond?: string | undefined
  readonly limit: number
}

export type EventRow = Selectable<EventTable>

/**
 * Returns events in the order of the log. It leaves out those that a transaction with a lower position could still precede, so
 * whoever continues after the last event that it returned misses none, however long transactions take to commit.
 */
export async function readEvents(db: Database, page: EventPage): Promise<LoggedEvent[]> {
  const { orgId, types, subject, since, before, order, beyond, limit } = page
  let query = db
    .selectFrom('events')
    .selectAll()
    .where(sql<boolean>`position < (SELECT event_horizon())`)
    .limit(limit)
  query =
    order === 'oldest'
      ? query.orderBy('position').orderBy('number')
      : query.orderBy('position', 'desc').orderBy('number', 'desc')
  if (orgId === null) query = query.where('org_id', 'is', null)
  else if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  if (types !== undefined) query = query.where(sql<boolean>`type = ANY(${types}::text[])`)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (before !== undefined) query = query.where('at', '<', before)
  if (beyond !== undefined) {
    const { position, number } = knownPosition(beyond)
    const bound = sql`(${position}::bigint, ${number}::bigint)`
    query = query.where(
      order === 'oldest'
        ? sql<boolean>`(position, number) > ${bound}`
        : sql<boolean>`(position, number) < ${bound}`,
    )
  }
  return (await query.execute()).map(eventOf)
}

/** Returns whether an event is one of those that a filter selects. */
export function matches(event: LoggedEvent, { orgId, types, subject, since, before }: EventFilter): boolean {
  return (
    (orgId === undefined || event.orgId === orgId) &&
    (types === undefined || types.includes(event.type)) &&
    (subject === undefined || event.subject === subject) &&
    (since === undefined || event.time >= since.toISOString()) &&
    (before === undefined || event.time < before.toISOString())
  )
}

/** Returns an event as callers see it. */
export function eventOf(row: EventRow): LoggedEvent {
  return {
    id: eventIdOf(row),
    orgId: row.org_id,
    type: row.type,
    time: row.at.toISOString(),
    subject: row.subject,
    data: row.data,
    reason: row.reason,
    actor: { kind: row.actor_kind, id: row.actor_id },
  }
}
