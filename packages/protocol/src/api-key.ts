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

const expiresInSeconds = z.int().min(1).max(315_360_000)

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
    expiresInSeconds: expiresInSeconds
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

export const updateApiKey = operation({
  id: 'updateApiKey',
  tag: 'Credentials',
  summary:
    "Change the name, the role or the expiry of an API key. Neither its old nor its new role can be above the caller's own. The change applies on every node within a second.",
  method: 'PATCH',
  path: `${keys}/{keyId}`,
  access: admin,
  body: z
    .object({
      name: Name.describe('What the key is for.'),
      role: Role,
      expiresInSeconds: expiresInSeconds
        .nullable()
        .describe('From now on. null means that the key does not expire.'),
    })
    .partial(),
  response: ApiKey,
  examples: [{ body: { name: 'old build server', role: 'viewer' } }],
  addition: true,
  errors: ['apiKey.NOT_FOUND', 'apiKey.ROLE_TOO_HIGH'],
})

/** How long a secret works after another has replaced it. */
export const GraceSeconds = z
  .int()
  .min(0)
  .max(86_400)
  .default(0)
  .describe('How long the secrets that this one replaces keep working. 0 ends them immediately.')

export const rotateApiKey = operation({
  id: 'rotateApiKey',
  tag: 'Credentials',
  summary:
    'Replace the secret of an API key. The key keeps its id, name, role and expiry. The old secret ends after graceSeconds, on every node within a second, with everything that was opened with it.',
  method: 'POST',
  path: `${keys}/{keyId}/rotate`,
  access: admin,
  body: z.object({ graceSeconds: GraceSeconds }).prefault({}),
  response: CreatedApiKey,
  examples: [{ body: { graceSeconds: 3600 } }],
  addition: true,
  errors: ['apiKey.NOT_FOUND', 'apiKey.ROLE_TOO_HIGH'],
})
