import type { EventData, EventTypeName } from '@sandglass/protocol'
import type { Insertable } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { EventTable } from '../db/schema.ts'
import { beforeCommit } from '../db/transact.ts'
import { actorOf, type EventActor, machinesActor } from './actor.ts'

/** An event that a transaction is about to append. It must contain no secrets, because every member of the organization sees it. */
export interface NewEvent<Type extends EventTypeName> {
  /** Null for events that only the operator sees. */
  readonly orgId: string | null
  readonly type: Type
  /** The id of the resource that the event describes. */
  readonly subject: string
  readonly data: EventData<Type>
  /** A sentence that says why. */
  readonly reason?: string | null | undefined
  /** If it is omitted, the caller for whom the transaction runs, or else the service. */
  readonly actor?: EventActor | undefined
}

type NewRow = Insertable<EventTable>

/** The events of each running transaction that are not written yet. */
const waiting = new WeakMap<Tx, NewRow[]>()

/**
 * Appends an event in the transaction of the change that it describes, so that there is never one without the other. It is written at
 * the end of the transaction, together with its other events and its audit entry, because each statement costs a round trip to the
 * database. Do not append between a savepoint and a return to it, which would not take the event back.
 */
export async function appendEvent<Type extends EventTypeName>(tx: Tx, event: NewEvent<Type>): Promise<void> {
  const actor = event.actor ?? actorOf(tx) ?? machinesActor
  const row: NewRow = {
    org_id: event.orgId,
    type: event.type,
    subject: event.subject,
    data: JSON.stringify(event.data),
    reason: event.reason ?? null,
    actor_kind: actor.kind,
    actor_id: actor.id,
  }
  const rows = waiting.get(tx)
  if (rows) rows.push(row)
  else if (beforeCommit(tx, () => insertRows(tx, takeWaiting(tx)))) waiting.set(tx, [row])
  else await insertRows(tx, [row])
}

/** Returns the events of a transaction that are not written yet. Whoever takes them writes them. */
export function takeWaiting(tx: Tx): readonly NewRow[] {
  return waiting.get(tx)?.splice(0) ?? []
}

async function insertRows(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('events').values(rows).execute()
}
