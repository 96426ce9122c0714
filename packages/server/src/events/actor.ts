import type { EventActorKind } from '@sandglass/protocol'
import type { Tx } from '../db/database.ts'

/** Who caused an event. */
export interface EventActor {
  readonly kind: EventActorKind
  readonly id: string
}

/** What the service does by itself while it looks after machines. */
export const machinesActor: EventActor = { kind: 'service', id: 'machines' }

/** What the service does when sandboxes expire. */
export const expiryActor: EventActor = { kind: 'service', id: 'expiry' }

/** What the service does when nodes come and go. */
export const placementActor: EventActor = { kind: 'service', id: 'placement' }

/** What the service does when it makes backups. */
export const backupsActor: EventActor = { kind: 'service', id: 'backups' }

const actors = new WeakMap<Tx, EventActor>()

/** Returns a caller as an actor, without its rights. */
export function actorFrom({ kind, id }: EventActor): EventActor {
  return { kind, id }
}

/** Attributes the events of a transaction to the caller for whom it runs. */
export function attribute(tx: Tx, actor: EventActor): void {
  actors.set(tx, actorFrom(actor))
}

/** Returns the caller of a transaction, or undefined if the service runs it by itself. */
export function actorOf(tx: Tx): EventActor | undefined {
  return actors.get(tx)
}
