import { z } from 'zod'
import { Connect } from './connect.ts'
import { LiveScope } from './live.ts'
import { operation } from './operation.ts'
import { Control } from './sandbox.ts'
import { Time } from './time.ts'

const live = '/api/orgs/{orgId}/sandboxes/{sandboxId}/live'
const read = { to: 'organization', role: 'viewer', trial: true } as const
const drive = { to: 'organization', role: 'member', trial: true } as const

const shownOnce = 'Shown only once; omitted if the response is repeated because of an Idempotency-Key.'

/** The rights and lifetime of a token or invitation. Every scope includes `view`. */
const share = {
  scope: z
    .array(LiveScope)
    .max(LiveScope.options.length)
    .default(['view'])
    .describe("Cannot exceed what the caller's role allows. Every right includes `view`."),
  lifetimeSeconds: z
    .int()
    .min(10)
    .max(13 * 86_400)
    .default(3600)
    .describe("Access also ends when the sandbox ends or the caller's credential is revoked."),
}

export const createLiveToken = operation({
  id: 'createLiveToken',
  tag: 'Live view',
  summary: 'Create a token for the live view of a sandbox with the given rights and lifetime.',
  method: 'POST',
  path: `${live}/tokens`,
  access: read,
  body: z.object(share).prefault({}),
  response: Connect.extend({
    endUserToken: Connect.shape.endUserToken.optional().describe(shownOnce),
    scope: z.array(LiveScope),
    expiresAt: Time,
  }),
  creates: true,
  secrets: ['endUserToken'],
  addition: true,
  examples: [{ body: { scope: ['view'], lifetimeSeconds: 600 } }],
  errors: ['sandbox.NOT_FOUND', 'live.SCOPE_TOO_WIDE'],
})

export const revokeLiveTokens = operation({
  id: 'revokeLiveTokens',
  tag: 'Live view',
  summary: 'Revoke all tokens and invitations of a sandbox and close their connections.',
  method: 'DELETE',
  path: `${live}/tokens`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})

/** An invitation as it is listed. Its link and code are only shown when it is created. */
export const LiveInvitation = z
  .object({ id: z.string(), scope: z.array(LiveScope), createdAt: Time, expiresAt: Time })
  .meta({ id: 'LiveInvitation' })
export type LiveInvitation = z.infer<typeof LiveInvitation>

export const createLiveInvitation = operation({
  id: 'createLiveInvitation',
  tag: 'Live view',
  summary: 'Create a link that lets a person see a sandbox, with the given rights and lifetime.',
  method: 'POST',
  path: `${live}/invitations`,
  access: read,
  body: z.object(share).prefault({}),
  response: LiveInvitation.extend({
    url: z
      .string()
      .optional()
      .describe(
        `Send it to the person. The code is after #, which browsers do not send to servers. ${shownOnce}`,
      ),
    code: z.string().optional().describe(shownOnce),
  }),
  creates: true,
  secrets: ['url', 'code'],
  addition: true,
  examples: [{ body: { scope: ['view'], lifetimeSeconds: 3600 } }],
  errors: ['sandbox.NOT_FOUND', 'live.SCOPE_TOO_WIDE', 'live.TOO_MANY_INVITATIONS'],
})

export const listLiveInvitations = operation({
  id: 'listLiveInvitations',
  tag: 'Live view',
  summary: 'List the valid invitations to a sandbox.',
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
  summary: 'Revoke an invitation and close its connections.',
  method: 'DELETE',
  path: `${live}/invitations/{invitationId}`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'live.INVITATION_NOT_FOUND'],
})

export const redeemLiveInvitation = operation({
  id: 'redeemLiveInvitation',
  tag: 'Live view',
  summary: 'Exchange an invitation for connection details and a token.',
  method: 'POST',
  path: '/api/live/redeem',
  access: { to: 'public' },
  body: z.object({
    code: z.string().min(1).max(200).describe('The code of the invitation: what follows # in its link.'),
  }),
  response: Connect,
  addition: true,
  examples: [{ body: { code: '{code}' } }],
  errors: ['live.INVITATION_NOT_FOUND'],
})

/** Somebody who watches a sandbox at this moment. */
export const LiveViewer = z
  .object({
    id: z.string().describe('Names the connection; a person who watches in two windows has two.'),
    name: z.string(),
    isInControl: z.boolean(),
    since: Time,
  })
  .meta({ id: 'LiveViewer' })
export type LiveViewer = z.infer<typeof LiveViewer>

export const listSandboxViewers = operation({
  id: 'listSandboxViewers',
  tag: 'Live view',
  summary: 'List who watches a sandbox in the live view now.',
  method: 'GET',
  path: `${live}/viewers`,
  access: read,
  response: z.array(LiveViewer),
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'node.GONE'],
})

export const setSandboxControl = operation({
  id: 'setSandboxControl',
  tag: 'Live view',
  summary: 'Return control of a sandbox to the agent, or request a person.',
  method: 'PUT',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/control',
  access: drive,
  body: z.object({
    holder: Control.describe('`agent` returns control to the agent; `user` requests a person.'),
    message: z
      .string()
      .max(1000)
      .optional()
      .describe('What the person should do, or what was done. It is shown in the event.'),
  }),
  response: z.object({ control: Control }),
  addition: true,
  examples: [{ body: { holder: 'user', message: 'Please sign in.' } }],
  errors: ['sandbox.NOT_FOUND', 'node.GONE'],
})
