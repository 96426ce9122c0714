import { z } from 'zod'
import { Connect } from './connect.ts'
import { Egress } from './egress.ts'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Shape } from './shape.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

export const SandboxStatus = z.enum(['PENDING', 'RUNNING', 'STOPPED', 'ERROR']).meta({ id: 'SandboxStatus' })
export type SandboxStatus = z.infer<typeof SandboxStatus>

export const Control = z.enum(['agent', 'user']).meta({ id: 'Control' })
export type Control = z.infer<typeof Control>

/** What is wrong with a sandbox that runs, and what was restarted in it last. */
export const SandboxHealth = z.object({
  problem: z
    .object({
      component: z.string().describe('What cannot be reached, such as `screen`.'),
      reason: z.string(),
      since: Time,
    })
    .optional()
    .describe('Set while it is RUNNING but a part of it cannot be reached; it is tried again until it can.'),
  lastRestart: z
    .object({
      component: z.string().describe('Such as `window manager`, `panel` or `display`.'),
      reason: z.string(),
      at: Time,
    })
    .optional()
    .describe('The part of its desktop that ended by itself last, and was started again.'),
})
export type SandboxHealth = z.infer<typeof SandboxHealth>

/** What getSandbox and listSandboxes report beyond the contract. */
const additions = {
  ...SandboxHealth.shape,
  reason: z.string().optional().describe('Why it is STOPPED or in ERROR.'),
  paused: z.boolean().optional().describe('STOPPED because it was paused: resumeSandbox lets it go on.'),
  control: Control.describe(
    '`user` after client:user-takeover or while a person has the control in the live view; `agent` again when that person hands back, by setSandboxControl, and after a restart.',
  ),
  labels: z.record(z.string(), z.string()),
}

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
    ...additions,
  })
  .meta({ id: 'Sandbox' })
export type Sandbox = z.infer<typeof Sandbox>

const pixels = z.int().min(320).max(3840)

/** Fields of our own at create, all of them optional. */
const choices = {
  egress: Egress.default('internet'),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable'),
      z.string().max(10_000),
    )
    .default({})
    .describe('Added to the environment of the desktop and of every process.'),
  labels: z.record(z.string().min(1).max(63), z.string().max(255)).default({}),
  screen: z.object({ width: pixels, height: pixels }).optional(),
  idleSeconds: z
    .int()
    .min(10)
    .max(86_400)
    .optional()
    .describe('Deletes the sandbox when there was no call to it, and no input of a viewer, for so long.'),
}

/** Published clients send `shape` in place of `shapeName`: either is taken, both only where they agree. */
export const CreateSandboxRequest = z
  .object({
    name: Name.default('sandbox'),
    shapeName: z.string().min(1).optional(),
    shape: z.string().min(1).optional().describe('Another name of shapeName.'),
    maxLifeSeconds: z.int().min(1).max(86_400).default(3600),
    projectId: ProjectReference,
    ...choices,
  })
  .refine(({ env, labels }) => Object.keys(env).length <= 100 && Object.keys(labels).length <= 100, {
    message: 'env and labels hold 100 entries each at the most',
  })
  .superRefine(({ shape, shapeName }, context) => {
    if (shape === undefined && shapeName === undefined)
      context.addIssue({ code: 'custom', path: ['shapeName'], message: 'is required' })
    if (shape !== undefined && shapeName !== undefined && shape !== shapeName)
      context.addIssue({ code: 'custom', path: ['shape'], message: 'must equal shapeName, or be left out' })
  })

const label = z.string().regex(/^[^=]+=/, 'must be name=value')

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
  query: z.object({
    projectId: z.string().optional(),
    status: SandboxStatus.optional(),
    label: z
      .union([label, z.array(label).max(20)])
      .optional()
      .describe('name=value; may be given more than once, and all must fit.'),
  }),
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
  errors: ['sandbox.NOT_FOUND'],
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
  errors: [
    'shape.NOT_FOUND',
    'shape.PLAN_TOO_LOW',
    'project.NOT_FOUND',
    'sandbox.TOO_MANY',
    'machine.NO_CAPACITY',
    'machine.NOT_READY',
  ],
})

export const deleteSandbox = operation({
  id: 'deleteSandbox',
  tag: 'Sandboxes',
  summary: 'Delete a sandbox and everything in it.',
  method: 'DELETE',
  path: `${sandboxes}/{id}`,
  access: drive,
  errors: ['sandbox.NOT_FOUND'],
})

export const extendSandbox = operation({
  id: 'extendSandbox',
  tag: 'Sandboxes',
  summary: 'Let a sandbox live for so many seconds from now; 13 days from its create at the most.',
  method: 'POST',
  path: `${sandboxes}/{id}/extend`,
  access: drive,
  body: z.object({ maxLifeSeconds: z.int().min(30).max(86_400).default(3600) }).prefault({}),
  errors: ['sandbox.NOT_FOUND', 'sandbox.LIFE_TOO_LONG'],
})

export const restartSandbox = operation({
  id: 'restartSandbox',
  tag: 'Sandboxes',
  summary: 'Restart a sandbox; its files stay.',
  method: 'POST',
  path: `${sandboxes}/{id}/restart`,
  access: drive,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'machine.FAILED', 'node.GONE'],
})

export const getSandboxStatus = operation({
  id: 'getSandboxStatus',
  tag: 'Sandboxes',
  summary: 'The status of a sandbox.',
  method: 'GET',
  path: `${sandboxes}/{id}/status`,
  access: read,
  response: SandboxHealth.pick({ problem: true }).extend({ status: SandboxStatus }),
  errors: ['sandbox.NOT_FOUND'],
})

export const pauseSandbox = operation({
  id: 'pauseSandbox',
  tag: 'Sandboxes',
  summary: 'Stop all work of a sandbox; its memory and screen stay, and its time is not counted.',
  method: 'POST',
  path: `${sandboxes}/{id}/pause`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'machine.FAILED', 'node.GONE'],
})

export const resumeSandbox = operation({
  id: 'resumeSandbox',
  tag: 'Sandboxes',
  summary: 'Let a paused sandbox go on.',
  method: 'POST',
  path: `${sandboxes}/{id}/resume`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'machine.FAILED', 'node.GONE'],
})
