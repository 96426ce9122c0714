import { z } from 'zod'
import { operation } from './operation.ts'
import { Role } from './role.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** An API key as it is listed. The key itself is only shown when it is created. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to identify it.'),
    role: Role,
    createdAt: Time,
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable().describe('Accurate to one minute.'),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

/** The response to creating a key; the only one that contains the key itself. */
export const CreatedApiKey = ApiKey.extend({
  apiKey: z
    .string()
    .optional()
    .describe('Shown only once; omitted if the response is repeated because of an Idempotency-Key.'),
}).meta({ id: 'CreatedApiKey' })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>

const keys = '/api/orgs/{orgId}/api-keys'
const admin = { to: 'organization', role: 'admin' } as const

export const listApiKeys = operation({
  id: 'listApiKeys',
  tag: 'Credentials',
  summary: 'List the API keys of the organization that have not been revoked.',
  method: 'GET',
  path: keys,
  access: admin,
  response: z.array(ApiKey),
  addition: true,
})

export const createApiKey = operation({
  id: 'createApiKey',
  tag: 'Credentials',
  summary: "Create an API key. Its role can be at most the caller's own.",
  method: 'POST',
  path: keys,
  access: admin,
  body: z.object({
    name: Name.describe('What the key is for.'),
    role: Role.default('member'),
    expiresInSeconds: z
      .int()
      .min(1)
      .max(315_360_000)
      .optional()
      .describe('After how many seconds the key stops working. If omitted, it does not expire.'),
  }),
  response: CreatedApiKey,
  creates: true,
  secrets: ['apiKey'],
  addition: true,
  examples: [{ body: { name: 'build server', role: 'member', expiresInSeconds: 2_592_000 } }],
  errors: ['apiKey.ROLE_TOO_HIGH', 'apiKey.TOO_MANY'],
})

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  tag: 'Credentials',
  summary: 'Revoke an API key. It stops working on every node within a second.',
  method: 'DELETE',
  path: `${keys}/{keyId}`,
  access: admin,
  addition: true,
  errors: ['apiKey.NOT_FOUND', 'apiKey.ROLE_TOO_HIGH'],
})
