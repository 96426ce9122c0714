import { ApiError } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Pool } from '../../db/database.ts'
import { readEvents } from '../../events/read.ts'
import { type SandboxRow, selectSandbox } from '../../records/sandboxes.ts'

/**
 * Throws a 404 unless the caller may read what happened to this sandbox. The sandbox may have ended, and undefined is returned: only
 * its events say then who created it. A trial session sees only its own.
 */
export async function requireSeen(
  { db, prepared }: Pool,
  member: OrganizationPrincipal,
  sandboxId: string,
): Promise<SandboxRow | undefined> {
  const sandbox = await selectSandbox(prepared, member, sandboxId)
  if (sandbox) return sandbox
  const { kind, id, organization } = member
  const [first] = await readEvents(db, {
    orgId: organization.id,
    subject: sandboxId,
    order: 'oldest',
    limit: 1,
  })
  const isOwn = first?.type === 'sandbox.created' && first.actor.kind === kind && first.actor.id === id
  if (first && (kind !== 'trialToken' || isOwn)) return undefined
  throw new ApiError('sandbox.NOT_FOUND')
}
