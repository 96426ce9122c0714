import type { SandboxStatus, StateReason } from '@sandglass/protocol'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../events/append.ts'

/** What of a sandbox counts as its state. */
export interface SandboxState {
  readonly status: SandboxStatus
  readonly paused: boolean
  readonly hibernated: boolean
}

export interface StateChange {
  readonly sandbox: { readonly id: string; readonly org_id: string }
  readonly from: SandboxState
  readonly to: SandboxState
  readonly reason: StateReason
  /** The same as a sentence. */
  readonly sentence: string | null
}

/** Appends the event of a change of state. A sandbox that stays as it was has none. */
export async function appendStateChange(
  tx: Tx,
  { sandbox, from, to, reason, sentence }: StateChange,
): Promise<void> {
  if (from.status === to.status && from.paused === to.paused && from.hibernated === to.hibernated) return
  await appendEvent(tx, {
    orgId: sandbox.org_id,
    type: 'sandbox.state.updated',
    subject: sandbox.id,
    data: { from: from.status, to: to.status, reason },
    reason: sentence,
  })
}
