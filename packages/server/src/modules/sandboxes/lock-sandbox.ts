import { ApiError } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import { lockSandbox, type SandboxRow } from '../../records/sandboxes.ts'

/** Locks a sandbox that the caller may see, and throws a 404 if there is none. */
export async function requireLocked(tx: Tx, member: Actor, id: string): Promise<SandboxRow> {
  const sandbox = await lockSandbox(tx, member, id)
  if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
  return sandbox
}
