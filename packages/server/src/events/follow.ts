import type { LoggedEvent } from '@sandglass/protocol'
import type { Database } from '../db/database.ts'
import { type EventFilter, matches, readEvents } from './read.ts'
import type { EventTail } from './tail.ts'

/** How many events are taken at once. A reader that does not read on holds no more than these. */
const pageSize = 50

/** The next events of a follower. There are none if nothing has happened for a while. */
export interface Followed {
  readonly events: readonly LoggedEvent[]
  /** The id after which to go on. It can be later than the last of these events, because others do not match. */
  readonly end: string
}

/**
 * Yields the events after an id, and then every new one, until the signal aborts. A follower is nothing but its position: near the
 * end of the log it looks at the events that the tail has in memory, which are the same for all, and otherwise it reads the
 * database. Nothing is queued for one that is slow.
 *
 * @param idleMs after so long without an event, it yields an empty list
 */
export async function* follow(
  db: Database,
  tail: EventTail,
  filter: EventFilter,
  after: string,
  idleMs: number,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  let end = after
  while (!signal.aborted) {
    const next = nextInMemory(tail, filter, end) ?? (await nextInDatabase(db, tail, filter, end))
    const hasMoved = next.end !== end
    end = next.end
    if (next.events.length > 0) yield next
    else if (!hasMoved) {
      const before = tail.end
      await tail.grown(idleMs, signal)
      if (tail.end === before && !signal.aborted) yield { events: [], end }
    }
  }
}

/** Returns undefined if the tail no longer has all events after this id. */
function nextInMemory(tail: EventTail, filter: EventFilter, after: string): Followed | undefined {
  const kept = tail.after(after)
  if (!kept) return undefined
  const events: LoggedEvent[] = []
  let end = after
  for (const event of kept) {
    if (events.length === pageSize) break
    if (matches(event, filter)) events.push(event)
    end = event.id
  }
  return { events, end }
}

async function nextInDatabase(
  db: Database,
  tail: EventTail,
  filter: EventFilter,
  after: string,
): Promise<Followed> {
  // Whatever the tail has seen before this query is settled, so the query finds it.
  const seen = tail.end
  const events = await readEvents(db, { ...filter, order: 'oldest', beyond: after, limit: pageSize })
  const last = events.at(-1)?.id ?? after
  return { events, end: events.length < pageSize && seen > last ? seen : last }
}
