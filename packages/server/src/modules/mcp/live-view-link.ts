import type { Pool } from '../../db/database.ts'
import { transactFor } from '../../db/transact.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { invite } from '../live/invite.ts'
import type { McpCaller } from './caller.ts'

/**
 * A person who does a step for an assistant needs to see, to type and to paste. An hour is long enough for such a step.
 */
const invitation = {
  scope: ['view', 'input', 'clipboard:read', 'clipboard:write'],
  lifetimeSeconds: 3600,
} as const

/** Returns a link that lets a person watch a sandbox and take over. */
export async function liveViewLink(
  { db }: Pool,
  { member }: McpCaller,
  sandbox: SandboxRow,
  publicUrl: string,
): Promise<string> {
  const { id } = member.organization
  return (await transactFor(db, id, tx => invite(tx, member, sandbox, invitation, publicUrl))).url
}
