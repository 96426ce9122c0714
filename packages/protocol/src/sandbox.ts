import { z } from 'zod'
import { Connect } from './connect.ts'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Shape } from './shape.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

export const SandboxStatus = z.enum(['PENDING', 'RUNNING', 'STOPPED', 'ERROR']).meta({ id: 'SandboxStatus' })
export type SandboxStatus = z.infer<typeof SandboxStatus>

export const Sandbox = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Time,
    expiresAt: Time,
    expiredAt: Time.describe('Deprecated twin of expiresAt, always equal.'),
    projectId: z.string(),
    shapeName: z.string(),
    status: SandboxStatus,
  })
  .meta({ id: 'Sandbox' })
export type Sandbox = z.infer<typeof Sandbox>

/** Published clients send `shape` in place of `shapeName`: either is taken, both only where they agree. */
export const CreateSandboxRequest = z
  .object({
    name: Name.default('sandbox'),
    shapeName: z.string().min(1).optional(),
    shape: z.string().min(1).optional().describe('Another name of shapeName.'),
    maxLifeSeconds: z.int().min(1).max(86_400).default(3600),
    projectId: ProjectReference,
  })
  .superRefine(({ shape, shapeName }, context) => {
    if (shape === undefined && shapeName === undefined)
      context.addIssue({ code: 'custom', path: ['shapeName'], message: 'is required' })
    if (shape !== undefined && shapeName !== undefined && shape !== shapeName)
      context.addIssue({ code: 'custom', path: ['shape'], message: 'must equal shapeName, or be left out' })
  })

const sandboxes = '/api/orgs/{orgId}/sandboxes'
const read = { to: 'organization', role: 'viewer', trial: true } as const
const drive = { to: 'organization', role: 'member', trial: true } as const

export const listSandboxes = operation({
  id: 'listSandboxes',
  tag: 'Sandboxes',
  summary: 'The sandboxes of the organization.',
  method: 'GET',
  path: sandboxes,
  access: read,
  response: z.array(Sandbox),
})

export const getSandbox = operation({
  id: 'getSandbox',
  tag: 'Sandboxes',
  summary: 'A sandbox with its shape and how to connect to it.',
  method: 'GET',
  path: `${sandboxes}/{id}`,
  access: read,
  response: z.object({ sandbox: Sandbox.extend({ shape: Shape }), connectDetails: Connect }),
})

export const createSandbox = operation({
  id: 'createSandbox',
  tag: 'Sandboxes',
  summary: 'Make a sandbox of a shape.',
  method: 'POST',
  path: sandboxes,
  access: drive,
  body: CreateSandboxRequest,
  response: Sandbox,
  creates: true,
})

export const deleteSandbox = operation({
  id: 'deleteSandbox',
  tag: 'Sandboxes',
  summary: 'Delete a sandbox and everything in it.',
  method: 'DELETE',
  path: `${sandboxes}/{id}`,
  access: drive,
})

export const extendSandbox = operation({
  id: 'extendSandbox',
  tag: 'Sandboxes',
  summary: 'Let a sandbox live for so many seconds from now; 13 days from its create at the most.',
  method: 'POST',
  path: `${sandboxes}/{id}/extend`,
  access: drive,
  body: z.object({ maxLifeSeconds: z.int().min(30).max(86_400).default(3600) }).prefault({}),
})

export const restartSandbox = operation({
  id: 'restartSandbox',
  tag: 'Sandboxes',
  summary: 'Restart a sandbox; its files stay.',
  method: 'POST',
  path: `${sandboxes}/{id}/restart`,
  access: drive,
})

export const getSandboxStatus = operation({
  id: 'getSandboxStatus',
  tag: 'Sandboxes',
  summary: 'The status of a sandbox.',
  method: 'GET',
  path: `${sandboxes}/{id}/status`,
  access: read,
  response: z.object({ status: SandboxStatus }),
})
