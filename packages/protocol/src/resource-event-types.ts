import { z } from 'zod'
import { eventType } from './event-type.ts'
import { Role } from './role.ts'
import { Time } from './time.ts'

const key = { kind: 'apiKey', id: '0b6f2a34-6f1e-4d0c-9f3e-4f2f8e7f9a10' } as const
const operator = { kind: 'operator', id: '1c7a3b45-7a2f-4e1d-8a4f-5a3a9f8a0b21' } as const
const service = (id: string) => ({ kind: 'service', id }) as const

const image = { subject: 'image', role: 'viewer' } as const
const apiKey = { subject: 'key', role: 'admin' } as const
const mcpServer = { subject: 'MCP server', role: 'viewer' } as const
const volume = { subject: 'volume', role: 'viewer' } as const
const webhook = { subject: 'webhook', role: 'admin' } as const
const node = { subject: 'node', role: null } as const
const nothing = z.object({})

/** What happens to the other resources of an organization, and to the nodes of the service. */
export const resourceEventTypes = {
  'image.created': eventType({
    ...image,
    about: 'An image is being saved, built or imported.',
    data: z.object({ name: z.string(), shapeName: z.string() }),
    example: { data: { name: 'tools', shapeName: 'small' }, actor: key },
  }),
  'image.ready': eventType({
    ...image,
    about: 'Sandboxes can be created from an image.',
    data: nothing,
    example: { data: {}, actor: service('machines') },
  }),
  'image.failed': eventType({
    ...image,
    about: 'An image could not be made, or its disk is gone.',
    data: nothing,
    example: { data: {}, reason: 'The step "false" failed.', actor: service('machines') },
  }),
  'image.deleted': eventType({
    ...image,
    about: 'An image was deleted.',
    data: nothing,
    example: { data: {}, actor: key },
  }),
  'key.created': eventType({
    ...apiKey,
    about: 'An API key was created.',
    data: z.object({ name: z.string(), prefix: z.string(), role: Role, expiresAt: Time.nullable() }),
    example: { data: { name: 'ci', prefix: 'sgk_3f9a', role: 'member', expiresAt: null }, actor: key },
  }),
  'key.updated': eventType({
    ...apiKey,
    about: 'The name, the role or the expiry of an API key was changed.',
    data: z.object({ name: z.string(), role: Role, expiresAt: Time.nullable() }),
    example: { data: { name: 'ci', role: 'viewer', expiresAt: null }, actor: key },
  }),
  'key.rotated': eventType({
    ...apiKey,
    about: 'The secret of an API key was replaced.',
    data: z.object({ name: z.string(), prefix: z.string(), oldSecretEndsAt: Time }),
    example: {
      data: { name: 'ci', prefix: 'sgk_8c21', oldSecretEndsAt: '2026-11-15T01:02:03.456Z' },
      actor: key,
    },
  }),
  'key.revoked': eventType({
    ...apiKey,
    about: 'An API key was revoked.',
    data: z.object({ name: z.string() }),
    example: { data: { name: 'ci' }, actor: key },
  }),
  'mcp-server.created': eventType({
    ...mcpServer,
    about: 'An MCP server was created.',
    data: z.object({ name: z.string(), projectId: z.string() }),
    example: {
      data: { name: 'desktop', projectId: 'b1d6c9b4-0f1c-4c35-8f0e-0d8a5b0a6f11' },
      actor: key,
    },
  }),
  'mcp-server.sandbox.updated': eventType({
    ...mcpServer,
    about: 'An MCP server has another sandbox, or none any more.',
    data: z.object({ sandboxId: z.string().nullable() }),
    example: { data: { sandboxId: null }, actor: key },
  }),
  'mcp-server.deleted': eventType({
    ...mcpServer,
    about: 'An MCP server was deleted.',
    data: nothing,
    example: { data: {}, actor: key },
  }),
  'volume.created': eventType({
    ...volume,
    about: 'A volume was created.',
    data: z.object({ name: z.string(), sizeMiB: z.int() }),
    example: { data: { name: 'models', sizeMiB: 64 }, actor: key },
  }),
  'volume.deleted': eventType({
    ...volume,
    about: 'A volume was deleted.',
    data: nothing,
    example: { data: {}, actor: key },
  }),
  'webhook.disabled': eventType({
    ...webhook,
    about: 'A webhook receives no more events, because its endpoint is gone or has failed for three days.',
    data: z.object({
      reason: z.enum(['gone', 'failing']),
      origin: z
        .string()
        .describe('The URL of the endpoint without its path, which may contain a credential.'),
    }),
    example: {
      data: { reason: 'gone', origin: 'https://hooks.example.com' },
      reason: 'The endpoint answered 410.',
      actor: service('webhooks'),
    },
  }),
  'node.started': eventType({
    ...node,
    about: 'A process of the service has started.',
    data: z.object({ hostname: z.string(), version: z.string() }),
    example: { data: { hostname: 'host-1', version: '0.1.0' }, actor: service('placement') },
  }),
  'node.lost': eventType({
    ...node,
    about: 'A node did not renew its lease and was declared lost.',
    data: z.object({ sandboxes: z.int().describe('How many sandboxes are in ERROR because of it.') }),
    example: { data: { sandboxes: 0 }, actor: service('placement') },
  }),
  'node.returned': eventType({
    ...node,
    about: 'A node that was declared lost is back.',
    data: nothing,
    example: { data: {}, actor: service('placement') },
  }),
  'node.drained': eventType({
    ...node,
    about: 'A node takes no new sandboxes.',
    data: nothing,
    example: { data: {}, actor: operator },
  }),
  'node.undrained': eventType({
    ...node,
    about: 'A drained node takes sandboxes again.',
    data: nothing,
    example: { data: {}, actor: operator },
  }),
  'node.removed': eventType({
    ...node,
    about: 'A node was removed.',
    data: nothing,
    example: { data: {}, actor: operator },
  }),
  'backup.failed': eventType({
    ...node,
    about: 'A scheduled backup has failed. The node tries it again soon.',
    data: nothing,
    example: {
      data: {},
      reason: 'The folder /srv/backups of the backups cannot be used: no space is left on it.',
      actor: service('backups'),
    },
  }),
}
