import { randomBytes } from 'node:crypto'
import { ApiError, type LiveScope } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import { authorOf, type SandboxRow } from '../../records/sandboxes.ts'
import { chosenScope } from './scope.ts'
import { type InvitationRow, insertInvitation, selectInvitations } from './store.ts'

/** This bounds the list of invitations, which has no pages. */
const maxInvitations = 100

export interface InvitationRequest {
  readonly scope: readonly LiveScope[]
  readonly lifetimeSeconds: number
}

export interface Invited {
  readonly row: InvitationRow
  readonly code: string
  /** The link for the person. The code is in the fragment, which browsers do not send to servers. */
  readonly url: string
}

/** Creates a link that lets a person see a sandbox, with no more rights than the member who creates it. */
export async function invite(
  tx: Tx,
  member: OrganizationPrincipal,
  sandbox: SandboxRow,
  request: InvitationRequest,
  publicUrl: string,
): Promise<Invited> {
  const scope = chosenScope(request.scope, member.role)
  if ((await selectInvitations(tx, sandbox.id)).length >= maxInvitations)
    throw new ApiError('live.TOO_MANY_INVITATIONS')
  const code = `sgi_${randomBytes(32).toString('base64url')}`
  const row = await insertInvitation(tx, {
    sandboxId: sandbox.id,
    code,
    scope,
    createdBy: authorOf(member),
    lifetimeSeconds: request.lifetimeSeconds,
    until: latestExpiry(member, sandbox),
  })
  return { row, code, url: `${publicUrl}/view#${code}` }
}

/** An invitation expires with the bearer token of the user who created it. */
function latestExpiry(member: OrganizationPrincipal, { expires_at: sandboxExpiry }: SandboxRow): Date {
  return member.kind === 'user' && member.expiresAt < sandboxExpiry ? member.expiresAt : sandboxExpiry
}
