import { z } from 'zod'
import { operation } from './operation.ts'
import { Role } from './role.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** An API key as it can be shown: the key itself is known only to whoever was given it. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to tell keys apart.'),
    role: Role,
    createdAt: Time,
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const CreatedApiKey = ApiKey.extend({
  apiKey: z.string().optional().describe('Shown once; left out where an Idempotency-Key repeats the answer.'),
}).meta({ id: 'CreatedApiKey' })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>

const keys = '/api/orgs/{orgId}/api-keys'
const admin = { to: 'organization', role: 'admin' } as const

export const listApiKeys = operation({
  id: 'listApiKeys',
  tag: 'Credentials',
  summary: 'The API keys of the organization that were not revoked.',
  method: 'GET',
  path: keys,
  access: admin,
  response: z.array(ApiKey),
  addition: true,
})

export const createApiKey = operation({
  id: 'createApiKey',
  tag: 'Credentials',
  summary: "Make an API key with a role up to the caller's own.",
  method: 'POST',
  path: keys,
  access: admin,
  body: z.object({
    name: Name,
    role: Role.default('member'),
    expiresInSeconds: z.int().min(1).max(315_360_000).optional().describe('Left out: it does not expire.'),
  }),
  response: CreatedApiKey,
  creates: true,
  secrets: ['apiKey'],
  addition: true,
  errors: ['apiKey.ROLE_TOO_HIGH', 'apiKey.TOO_MANY'],
})

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  tag: 'Credentials',
  summary: 'End an API key, on every process within a second.',
  method: 'DELETE',
  path: `${keys}/{keyId}`,
  access: admin,
  addition: true,
  errors: ['apiKey.NOT_FOUND', 'apiKey.ROLE_TOO_HIGH'],
})
