import type { Pool } from '../../db/database.ts'
import { transactFor } from '../../db/transact.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { invite } from '../live/invite.ts'
import type { McpCaller } from './caller.ts'

/** What a person needs who does a step in the place of an assistant, and for as long as that may take. */
const wish = { scope: ['view', 'input', 'clipboard:read', 'clipboard:write'], lifetimeSeconds: 3600 } as const

/** A link by which a person sees a sandbox and takes over. */
export async function liveViewLink(
  { db }: Pool,
  { member }: McpCaller,
  sandbox: SandboxRow,
  publicUrl: string,
): Promise<string> {
  const { id } = member.organization
  return (await transactFor(db, id, tx => invite(tx, member, sandbox, wish, publicUrl))).url
}
