import { z } from 'zod'
import { operation } from './operation.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** A token for visitors. It expires, and allows few sandboxes of certain shapes only. */
export const TrialToken = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the token, to identify it.'),
    createdAt: Time,
    expiresAt: Time,
    sandboxQuota: z.int().describe('How many sandboxes it can have at once.'),
    shapeNames: z.array(z.string()).describe('The shapes that it can use.'),
  })
  .meta({ id: 'TrialToken' })
export type TrialToken = z.infer<typeof TrialToken>

const tokens = '/api/orgs/{orgId}/trial-tokens'
const admin = { to: 'organization', role: 'admin' } as const

export const listTrialTokens = operation({
  id: 'listTrialTokens',
  tag: 'Credentials',
  summary: 'List the valid trial session tokens.',
  method: 'GET',
  path: tokens,
  access: admin,
  response: z.array(TrialToken),
  addition: true,
})

export const createTrialToken = operation({
  id: 'createTrialToken',
  tag: 'Credentials',
  summary: 'Create a trial session token.',
  method: 'POST',
  path: tokens,
  access: admin,
  body: z.object({
    name: Name.default('trial').describe('What the token is for.'),
    expiresInSeconds: z
      .int()
      .min(1)
      .max(2_592_000)
      .default(3600)
      .describe('After how many seconds the token stops working.'),
    sandboxQuota: z.int().min(1).max(100).default(1).describe('How many sandboxes it can have at once.'),
    shapeNames: z.array(z.string().min(1)).min(1).max(100).describe('The shapes that it can use.'),
  }),
  response: TrialToken.extend({
    trialToken: z.string().optional().describe('Shown only once; omitted if the response is repeated.'),
  }),
  creates: true,
  secrets: ['trialToken'],
  addition: true,
  examples: [{ body: { name: 'workshop', shapeNames: ['{shapeName}'] } }],
  errors: ['shape.NOT_FOUND', 'shape.PLAN_TOO_LOW', 'trialToken.TOO_MANY'],
})

export const revokeTrialToken = operation({
  id: 'revokeTrialToken',
  tag: 'Credentials',
  summary: 'Revoke a trial session token. It stops working on every node within a second.',
  method: 'DELETE',
  path: `${tokens}/{tokenId}`,
  access: admin,
  addition: true,
  errors: ['trialToken.NOT_FOUND'],
})
