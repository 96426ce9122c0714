import { z } from 'zod'
import { CreatedApiKey } from './api-key.ts'
import { operation } from './operation.ts'
import { PlanName } from './plan.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

const featureFlags = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must be lowercase letters, digits and hyphens'))
  .max(100)
  .describe('Features that only some organizations have. A shape or an image can require one.')

const name = Name.describe('The name of the organization.')
const plan = PlanName.describe('The name of the plan that limits it.')

/** A tenant of the service. Its sandboxes, keys and projects are invisible to other organizations. */
export const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Time,
    plan: z.string(),
    featureFlags: z.array(z.string()),
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

const organizations = '/api/operator/organizations'
const operator = { to: 'operator' } as const

export const getOrganization = operation({
  id: 'getOrganization',
  tag: 'Organization',
  summary: 'Get the organization.',
  method: 'GET',
  path: '/api/orgs/{orgId}',
  access: { to: 'organization', role: 'viewer' },
  response: Organization,
  addition: true,
})

export const listOrganizations = operation({
  id: 'listOrganizations',
  tag: 'Operator',
  summary: 'List all organizations of the service.',
  method: 'GET',
  path: organizations,
  access: operator,
  response: z.array(Organization),
  addition: true,
})

export const createOrganization = operation({
  id: 'createOrganization',
  tag: 'Operator',
  summary: 'Create an organization with its default project and an owner key.',
  method: 'POST',
  path: organizations,
  access: operator,
  body: z.object({ name, plan: plan.default('unlimited'), featureFlags: featureFlags.default([]) }),
  response: z.object({ organization: Organization, ownerKey: CreatedApiKey }),
  creates: true,
  secrets: ['ownerKey.apiKey'],
  addition: true,
  examples: [{ body: { name: 'Research' } }],
  errors: ['plan.NOT_FOUND'],
})

export const updateOrganization = operation({
  id: 'updateOrganization',
  tag: 'Operator',
  summary: "Change an organization's name, plan or feature flags.",
  method: 'PATCH',
  path: `${organizations}/{organizationId}`,
  access: operator,
  body: z.object({ name, plan, featureFlags }).partial(),
  response: Organization,
  addition: true,
  examples: [{ body: { name: 'Research and development' } }],
  errors: ['organization.NOT_FOUND', 'plan.NOT_FOUND'],
})

export const deleteOrganization = operation({
  id: 'deleteOrganization',
  tag: 'Operator',
  summary: 'Delete an organization that has no sandboxes. Its keys stop working.',
  method: 'DELETE',
  path: `${organizations}/{organizationId}`,
  access: operator,
  addition: true,
  errors: ['organization.NOT_FOUND', 'organization.NOT_EMPTY'],
})

export const createOwnerKey = operation({
  id: 'createOwnerKey',
  tag: 'Operator',
  summary: 'Create a new owner key for an organization that has lost its own.',
  method: 'POST',
  path: `${organizations}/{organizationId}/owner-keys`,
  access: operator,
  body: z.object({ name: Name.default('owner').describe('What the key is for.') }).prefault({}),
  response: CreatedApiKey,
  creates: true,
  secrets: ['apiKey'],
  addition: true,
  examples: [{ body: { name: 'owner' } }],
  errors: ['organization.NOT_FOUND'],
})
