import { z } from 'zod'
import { Connect } from './connect.ts'
import { LiveScope } from './live.ts'
import { operation } from './operation.ts'
import { Control } from './sandbox.ts'
import { Time } from './time.ts'

const live = '/api/orgs/{orgId}/sandboxes/{id}/live'
const read = { to: 'organization', role: 'viewer', trial: true } as const
const drive = { to: 'organization', role: 'member', trial: true } as const

/** What is shared: `view` is in every scope. */
const share = {
  scope: z
    .array(LiveScope)
    .max(LiveScope.options.length)
    .default(['view'])
    .describe('At most what the role of the caller allows; `view` comes with every other right.'),
  lifetimeSeconds: z
    .int()
    .min(10)
    .max(13 * 86_400)
    .default(3600)
    .describe('It ends with the sandbox at the latest, and with the credential of the caller.'),
}

export const createLiveToken = operation({
  id: 'createLiveToken',
  tag: 'Live view',
  summary: 'Make a token for the live view of a sandbox, with chosen rights and life.',
  method: 'POST',
  path: `${live}/tokens`,
  access: read,
  body: z.object(share).prefault({}),
  response: Connect.extend({ scope: z.array(LiveScope), expiresAt: Time }),
  creates: true,
  secrets: ['endUserToken'],
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'live.SCOPE_TOO_WIDE'],
})

export const revokeLiveTokens = operation({
  id: 'revokeLiveTokens',
  tag: 'Live view',
  summary: 'End every token and invitation of a sandbox, and every connection that was made by one.',
  method: 'DELETE',
  path: `${live}/tokens`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})

export const LiveInvitation = z
  .object({ id: z.string(), scope: z.array(LiveScope), createdAt: Time, expiresAt: Time })
  .meta({ id: 'LiveInvitation' })
export type LiveInvitation = z.infer<typeof LiveInvitation>

export const createLiveInvitation = operation({
  id: 'createLiveInvitation',
  tag: 'Live view',
  summary: 'Make a link by which a person sees a sandbox, with chosen rights and life.',
  method: 'POST',
  path: `${live}/invitations`,
  access: read,
  body: z.object(share).prefault({}),
  response: LiveInvitation.extend({
    url: z.string().describe('For the person; the code is behind #, which browsers send to no server.'),
    code: z.string(),
  }),
  creates: true,
  secrets: ['url', 'code'],
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'live.SCOPE_TOO_WIDE', 'live.TOO_MANY_INVITATIONS'],
})

export const listLiveInvitations = operation({
  id: 'listLiveInvitations',
  tag: 'Live view',
  summary: 'The invitations to a sandbox that still hold.',
  method: 'GET',
  path: `${live}/invitations`,
  access: drive,
  response: z.array(LiveInvitation),
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})

export const revokeLiveInvitation = operation({
  id: 'revokeLiveInvitation',
  tag: 'Live view',
  summary: 'End an invitation, and every connection that was made by it.',
  method: 'DELETE',
  path: `${live}/invitations/{invitationId}`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'live.INVITATION_NOT_FOUND'],
})

export const redeemLiveInvitation = operation({
  id: 'redeemLiveInvitation',
  tag: 'Live view',
  summary: 'What an invitation is for: how to connect, and a token.',
  method: 'POST',
  path: '/api/live/redeem',
  access: { to: 'public' },
  body: z.object({ code: z.string().min(1).max(200) }),
  response: Connect,
  addition: true,
  errors: ['live.INVITATION_NOT_FOUND'],
})

export const setSandboxControl = operation({
  id: 'setSandboxControl',
  tag: 'Live view',
  summary: 'Give the control of a sandbox to the agent, or call for a person.',
  method: 'PUT',
  path: '/api/orgs/{orgId}/sandboxes/{id}/control',
  access: drive,
  body: z.object({ holder: Control }),
  response: z.object({ control: Control }),
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'node.GONE'],
})
