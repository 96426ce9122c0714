import type { EventActorKind } from '@sandglass/protocol'
import type { Tx } from '../db/database.ts'

/** Who caused an event. */
export interface EventActor {
  readonly kind: EventActorKind
  readonly id: string
}

/** What the service does by itself while it looks after machines. */
export const machinesActor: EventActor = { kind: 'service', id: 'machines' }

const actors = new WeakMap<Tx, EventActor>()

/** Attributes the events of a transaction to the caller for whom it runs. */
export function attribute(tx: Tx, { kind, id }: EventActor): void {
  actors.set(tx, { kind, id })
}

/** Returns the caller of a transaction, or undefined if the service runs it by itself. */
export function actorOf(tx: Tx): EventActor | undefined {
  return actors.get(tx)
}
