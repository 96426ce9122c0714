import type { Control } from '@sandglass/protocol'
import type { Tx } from '../db/database.ts'
import type { EventActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'

/** Who has control of a sandbox, and whether a person was called who has not handed back yet. */
export interface ControlState {
  readonly control: Control
  readonly person_called: boolean
}

/** What is known of a change of control. */
export interface ControlNote {
  /** The name of the person who has control now, or had it until now. */
  readonly by?: string | undefined
  /** What the agent asked for. */
  readonly message?: string | undefined
  readonly actor?: EventActor | undefined
}

const liveActor: EventActor = { kind: 'service', id: 'live' }

/** Appends the events of a change of control: somebody was called, a person has taken it, or the agent has it again. */
export async function appendControlChange(
  tx: Tx,
  { id, org_id: orgId }: { readonly id: string; readonly org_id: string },
  from: ControlState,
  to: ControlState,
  { by, message, actor = liveActor }: ControlNote,
): Promise<void> {
  const append = (type: `sandbox.control.${'requested' | 'taken' | 'returned'}`) =>
    appendEvent(tx, {
      orgId,
      type,
      subject: id,
      data: { by: by ?? null, message: message ?? null },
      actor,
    })
  if (to.control === 'agent') {
    if (from.control === 'user') await append('sandbox.control.returned')
    return
  }
  // A second call may ask for something else.
  if (to.person_called && (!from.person_called || message !== undefined))
    await append('sandbox.control.requested')
  if (by !== undefined) await append('sandbox.control.taken')
}
