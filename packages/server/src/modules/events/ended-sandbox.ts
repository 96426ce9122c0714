import { ApiError } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Pool } from '../../db/database.ts'
import { readEvents } from '../../events/read.ts'
import { selectSandbox } from '../../records/sandboxes.ts'

/**
 * Throws a 404 unless the caller may read the events of this sandbox. The sandbox may have ended, so that only its events say who
 * created it. A trial session sees only its own.
 */
export async function requireSeen(
  { db, prepared }: Pool,
  member: OrganizationPrincipal,
  sandboxId: string,
): Promise<void> {
  if (await selectSandbox(prepared, member, sandboxId)) return
  const { kind, id, organization } = member
  const [first] = await readEvents(db, {
    orgId: organization.id,
    subject: sandboxId,
    order: 'oldest',
    limit: 1,
  })
  const isOwn = first?.type === 'sandbox.created' && first.actor.kind === kind && first.actor.id === id
  if (first && (kind !== 'trialToken' || isOwn)) return
  throw new ApiError('sandbox.NOT_FOUND')
}
