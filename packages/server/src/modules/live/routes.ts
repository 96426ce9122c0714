import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import { appendAudit } from '../../audit/store.ts'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import { actorFrom } from '../../events/actor.ts'
import type { Api } from '../../http/api.ts'
import { lockSandbox, type SandboxRow } from '../../records/sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { invite } from './invite.ts'
import type { Live } from './live.ts'
import { deleteInvitation, findInvitation, invitationOf, revokeTokens, selectInvitations } from './store.ts'

export function serveLive(
  api: Api,
  router: SandboxRouter,
  db: Database,
  live: Live,
  publicUrl: () => string,
): void {
  api.serve(protocol.createLiveToken, ({ member, params, body, change }) =>
    change(async tx => {
      const sandbox = await lock(tx, member, params.sandboxId)
      const granted = await live.rights.share(member, sandbox, body)
      const connect = await live.connect(sandbox, granted)
      const scope = [...granted.scope]
      return {
        answer: { ...connect, scope, expiresAt: granted.expiresAt.toISOString() },
        target: sandbox.id,
      }
    }),
  )

  api.serve(protocol.revokeLiveTokens, ({ member, params, change }) =>
    change(async tx => {
      const sandbox = await lock(tx, member, params.sandboxId)
      await revokeTokens(tx, sandbox.id)
      return { answer: undefined, target: sandbox.id }
    }),
  )

  api.serve(protocol.createLiveInvitation, ({ member, params, body, change }) =>
    change(async tx => {
      const sandbox = await lock(tx, member, params.sandboxId)
      const { row, code, url } = await invite(tx, member, sandbox, body, publicUrl())
      return { answer: { ...invitationOf(row), code, url }, target: sandbox.id }
    }),
  )

  api.serve(protocol.listLiveInvitations, async ({ member, params }) => {
    const { id } = await router.sandbox(member, params.sandboxId)
    return (await selectInvitations(db, id)).map(invitationOf)
  })

  api.serve(protocol.revokeLiveInvitation, ({ member, params, change }) =>
    change(async tx => {
      const sandbox = await lock(tx, member, params.sandboxId)
      if (!(await deleteInvitation(tx, sandbox.id, params.invitationId)))
        throw new ApiError('live.INVITATION_NOT_FOUND')
      return { answer: undefined, target: sandbox.id }
    }),
  )

  api.servePublic(protocol.redeemLiveInvitation, async ({ body, request }) => {
    const invitation = await findInvitation(db, body)
    if (!invitation) throw new ApiError('live.INVITATION_NOT_FOUND')
    const granted = await live.rights.redeem(invitation)
    await appendAudit(db, {
      org_id: granted.room.org_id,
      actor_kind: 'invitation',
      actor_id: invitation.id,
      operation: protocol.redeemLiveInvitation.id,
      target: invitation.sandbox_id,
      outcome: 'done',
      address: request.ip,
      request_id: request.id,
    })
    return live.connect(granted.room, granted)
  })

  router.serveUnnoticed(protocol.listSandboxViewers, async (_call, { id }) =>
    live.viewersOf(id).map(({ since, ...viewer }) => ({ ...viewer, since: since.toISOString() })),
  )

  router.serveAtMachine(protocol.setSandboxControl, async ({ member, body, record }, { id }) => {
    await record(id)
    const note = { actor: actorFrom(member), message: body.message }
    await (body.holder === 'agent' ? live.control.recall(id, note) : live.control.call(id, note))
    return { control: body.holder }
  })
}

async function lock(tx: Tx, member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
  const sandbox = await lockSandbox(tx, member, id)
  if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
  return sandbox
}
