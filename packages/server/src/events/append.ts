import type { EventData, EventTypeName } from '@sandglass/protocol'
import type { Tx } from '../db/database.ts'
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

/** Appends an event in the transaction of the change that it describes, so that there is never one without the other. */
export async function appendEvent<Type extends EventTypeName>(tx: Tx, event: NewEvent<Type>): Promise<void> {
  const actor = event.actor ?? actorOf(tx) ?? machinesActor
  await tx
    .insertInto('events')
    .values({
      org_id: event.orgId,
      type: event.type,
      subject: event.subject,
      data: JSON.stringify(event.data),
      reason: event.reason ?? null,
      actor_kind: actor.kind,
      actor_id: actor.id,
    })
    .execute()
}
