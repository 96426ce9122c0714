import { randomBytes } from 'node:crypto'
import { ApiError, type LiveScope } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import { authorOf, type SandboxRow } from '../../records/sandboxes.ts'
import { chosenScope } from './scope.ts'
import { type InvitationRow, insertInvitation, selectInvitations } from './store.ts'

/** More than anybody sends. */
const maxInvitations = 100

export interface InvitationRequest {
  readonly scope: readonly LiveScope[]
  readonly lifetimeSeconds: number
}

export interface Invited {
  readonly row: InvitationRow
  readonly code: string
  /** For the person; what is behind # is sent to no server. */
  readonly url: string
}

/** A link by which a person sees a sandbox, with no more rights than whoever makes it. */
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
    until: lastEnd(member, sandbox),
  })
  return { row, code, url: `${publicUrl}/view#${code}` }
}

/** A bearer token takes with it what it gave. */
function lastEnd(member: OrganizationPrincipal, { expires_at: last }: SandboxRow): Date {
  return member.kind === 'user' && member.expiresAt < last ? member.expiresAt : last
}
