import { z } from 'zod'
import { Connect } from './connect.ts'
import { Egress } from './egress.ts'
import { agreesOnIdle, disagreesOnIdle, IdleSeconds, Lifecycle, NewLifecycle } from './lifecycle.ts'
import { operation } from './operation.ts'
import { ProjectReference } from './project.ts'
import { Shape } from './shape.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'
import { VolumeChoices } from './volume-choice.ts'

/** The lifecycle of a sandbox. Only RUNNING is billed. */
export const SandboxStatus = z.enum(['PENDING', 'RUNNING', 'STOPPED', 'ERROR']).meta({ id: 'SandboxStatus' })
export type SandboxStatus = z.infer<typeof SandboxStatus>

/** Who is in control: the agent, or a person in the live view. */
export const Control = z.enum(['agent', 'user']).meta({ id: 'Control' })
export type Control = z.infer<typeof Control>

/** What is wrong with a running sandbox, and which part of it was restarted last. */
export const SandboxHealth = z.object({
  problem: z
    .object({
      component: z.string().describe('The part that cannot be reached, such as `screen`.'),
      reason: z.string(),
      since: Time,
    })
    .optional()
    .describe(
      'Set while the sandbox is RUNNING but a part of it cannot be reached. Connecting is retried until it succeeds.',
    ),
  lastRestart: z
    .object({
      component: z.string().describe('For example `window manager`, `panel` or `display`.'),
      reason: z.string(),
      at: Time,
    })
    .optional()
    .describe('The last part of the desktop that crashed and was restarted.'),
})
export type SandboxHealth = z.infer<typeof SandboxHealth>

/** Why a sandbox has ended. */
export const EndReason = z
  .enum(['deleted', 'expired', 'idle', 'not-woken', 'replaced', 'mcp-server-deleted'])
  .describe(
    '`deleted` by a call, `expired` at expiresAt, `idle` for idleSeconds, `not-woken` within the time for which a paused sandbox is kept, `replaced` by another sandbox of its MCP server, or `mcp-server-deleted` together with that server.',
  )
export type EndReason = z.infer<typeof EndReason>

const SandboxEnd = z.object({ at: Time, reason: EndReason })

/** Fields of getSandbox and listSandboxes that are additions to the contract. */
const additions = {
  ...SandboxHealth.shape,
  reason: z.string().optional().describe('Why the sandbox is STOPPED or in ERROR.'),
  paused: z
    .boolean()
    .optional()
    .describe('The sandbox is STOPPED because it was paused; resumeSandbox continues it.'),
  hibernated: z
    .boolean()
    .optional()
    .describe('The sandbox is STOPPED because it was hibernated; resumeSandbox starts it with its files.'),
  control: Control.describe(
    '`user` after client:user-takeover or while a person is in control in the live view. `agent` again once that person hands back, after setSandboxControl, and after a restart.',
  ),
  controlledBy: z.string().optional().describe('The name of the person who is in control, if one is.'),
  personNeeded: z
    .object({ message: z.string().nullable().describe('What the agent asked for, if it said so.') })
    .optional()
    .describe('Set while the agent has asked for a person, and nobody has taken control yet.'),
  labels: z.record(z.string(), z.string()),
  lifecycle: Lifecycle.optional().describe(
    'What happens when its time is up and when it is idle. Left out if it is deleted when its time is up, and has no other rule.',
  ),
  ended: SandboxEnd.optional().describe('Only for a sandbox that has ended, which `ended=true` lists.'),
}

/** A sandbox: a machine with a limited lifetime that belongs to one project. */
export const Sandbox = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Time,
    expiresAt: Time,
    expiredAt: Time.describe('Deprecated; always equal to expiresAt.'),
    projectId: z.string(),
    shapeName: z.string(),
    status: SandboxStatus,
    ...additions,
  })
  .meta({ id: 'Sandbox' })
export type Sandbox = z.infer<typeof Sandbox>

const pixels = z.int().min(320).max(3840).describe('In pixels.')

/** The longest time that a call waits for a sandbox. Published clients give up after 10 s, but never ask to wait. */
const maxWaitSeconds = 60
const aboutWait =
  'Seconds to wait while the sandbox is PENDING. The response is sent as soon as it is RUNNING or has failed, or with the status that it has when the time is over.'
const wait = z.number().min(0).max(maxWaitSeconds).default(0).describe(aboutWait)
/** The same in a query, where every number is text. */
const WaitQuery = z.object({
  wait: z.coerce.number().min(0).max(maxWaitSeconds).default(0).describe(aboutWait),
})

/** The values of environment variables, by name. */
export const EnvironmentVariables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be a valid variable name'),
  z.string().max(10_000),
)

/** The labels of a sandbox, as a caller gives them. */
const Labels = z.record(z.string().min(1).max(63), z.string().max(255))

/** Fields of the operations that create a sandbox which are additions to the contract; all are optional. */
export const sandboxChoices = {
  egress: Egress.default('internet'),
  env: EnvironmentVariables.default({}).describe(
    'Added to the environment of the desktop and of every process in it.',
  ),
  labels: Labels.default({}).describe('Texts of your own by name. listSandboxes can filter by them.'),
  screen: z
    .object({ width: pixels, height: pixels })
    .optional()
    .describe("The size of the screen. If omitted, the shape's own."),
  lifecycle: NewLifecycle.prefault({}).describe(
    'What happens to the sandbox when its time is up and when it is idle, and whether a call wakes it.',
  ),
  idleSeconds: IdleSeconds.optional().describe('The same as lifecycle.idleSeconds.'),
  volumes: VolumeChoices.default([]).describe(
    'Volumes of the organization that the sandbox has until it ends. It is placed on the node that has them.',
  ),
  wait,
}

/** What can be wrong with the volumes of a new sandbox. */
export const volumeErrors = [
  'volume.NOT_FOUND',
  'volume.NOT_READY',
  'volume.IN_USE',
  'volume.ELSEWHERE',
  'volume.UNSUPPORTED',
] as const

/** Whether the choices are small enough to be stored with the sandbox. */
export function hasFewEntries({ env, labels }: { readonly env: object; readonly labels: object }): boolean {
  return Object.keys(env).length <= 100 && Object.keys(labels).length <= 100
}

export const tooManyEntries = { message: 'env and labels can have at most 100 entries each' }

/**
 * The body of createSandbox. Published clients send `shape` instead of `shapeName`, so either is accepted; if both are
 * given they must be equal.
 */
export const CreateSandboxRequest = z
  .object({
    name: Name.default('sandbox').describe('The name of the sandbox; several can have the same.'),
    shapeName: z.string().min(1).optional().describe('The name of a shape; listShapes lists them.'),
    shape: z.string().min(1).optional().describe('Alias of shapeName.'),
    maxLifeSeconds: z.int().min(1).max(86_400).default(3600).describe('For how many seconds it lives.'),
    projectId: ProjectReference,
    ...sandboxChoices,
  })
  .refine(hasFewEntries, tooManyEntries)
  .refine(agreesOnIdle, disagreesOnIdle)
  .superRefine(({ shape, shapeName }, context) => {
    if (shape === undefined && shapeName === undefined)
      context.addIssue({ code: 'custom', path: ['shapeName'], message: 'is required' })
    if (shape !== undefined && shapeName !== undefined && shape !== shapeName)
      context.addIssue({ code: 'custom', path: ['shape'], message: 'must equal shapeName or be omitted' })
  })
  // The checks above are functions, which no JSON Schema is made of.
  .meta({ anyOf: [{ required: ['shapeName'] }, { required: ['shape'] }] })

const sandboxes = '/api/orgs/{orgId}/sandboxes'
const read = { to: 'organization', role: 'viewer', trial: true } as const
const drive = { to: 'organization', role: 'member', trial: true } as const

export const getSandbox = operation({
  id: 'getSandbox',
  tag: 'Sandboxes',
  summary: 'Get a sandbox with its shape and connection details.',
  method: 'GET',
  path: `${sandboxes}/{sandboxId}`,
  access: read,
  query: WaitQuery,
  response: z.object({ sandbox: Sandbox.extend({ shape: Shape }), connectDetails: Connect }),
  examples: [{ query: { wait: 10 } }],
  errors: ['sandbox.NOT_FOUND'],
})

export const createSandbox = operation({
  id: 'createSandbox',
  tag: 'Sandboxes',
  summary: 'Create a sandbox of the given shape.',
  method: 'POST',
  path: sandboxes,
  access: drive,
  largeBody: true,
  query: WaitQuery,
  body: CreateSandboxRequest,
  response: Sandbox,
  creates: true,
  examples: [
    {
      title: 'A sandbox for an hour',
      body: { shapeName: '{shapeName}', name: 'first' },
    },
    {
      title: 'Without a network, paused when it is idle',
      query: { wait: 10 },
      body: {
        shapeName: '{shapeName}',
        name: 'careful',
        labels: { team: 'research' },
        egress: 'none',
        lifecycle: { onIdle: 'pause', idleSeconds: 600, autoResume: true },
      },
    },
    {
      title: 'In a project',
      body: { shapeName: '{shapeName}', name: 'first of the project', projectId: '{projectId}' },
    },
  ],
  errors: [
    'shape.NOT_FOUND',
    'shape.PLAN_TOO_LOW',
    'project.NOT_FOUND',
    'sandbox.TOO_MANY',
    ...volumeErrors,
    'machine.NO_CAPACITY',
    'machine.NOT_READY',
    'node.GONE',
  ],
})

export const updateSandbox = operation({
  id: 'updateSandbox',
  tag: 'Sandboxes',
  summary: 'Change the name or the labels of a sandbox.',
  method: 'PATCH',
  path: `${sandboxes}/{sandboxId}`,
  access: drive,
  body: z
    .object({
      name: Name.optional().describe('The new name of the sandbox.'),
      labels: Labels.optional().describe('All labels that the sandbox has from now on.'),
    })
    .refine(({ labels = {} }) => hasFewEntries({ env: {}, labels }), {
      path: ['labels'],
      message: 'can have at most 100 entries',
    }),
  response: Sandbox,
  examples: [{ body: { name: 'renamed', labels: { team: 'research' } } }],
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})

export const deleteSandbox = operation({
  id: 'deleteSandbox',
  tag: 'Sandboxes',
  summary: 'Delete a sandbox and all its data.',
  method: 'DELETE',
  path: `${sandboxes}/{sandboxId}`,
  access: drive,
  errors: ['sandbox.NOT_FOUND'],
})

export const extendSandbox = operation({
  id: 'extendSandbox',
  tag: 'Sandboxes',
  summary: 'Let a sandbox live for maxLifeSeconds from now, up to 13 days after its creation.',
  method: 'POST',
  path: `${sandboxes}/{sandboxId}/extend`,
  access: drive,
  body: z
    .object({
      maxLifeSeconds: z
        .int()
        .min(30)
        .max(86_400)
        .default(3600)
        .describe('For how many seconds the sandbox lives from now on.'),
    })
    .prefault({}),
  examples: [{ body: { maxLifeSeconds: 7200 } }],
  errors: ['sandbox.NOT_FOUND', 'sandbox.LIFE_TOO_LONG'],
})

export const restartSandbox = operation({
  id: 'restartSandbox',
  tag: 'Sandboxes',
  summary: 'Restart a sandbox. Its files are kept.',
  method: 'POST',
  path: `${sandboxes}/{sandboxId}/restart`,
  access: drive,
  errors: [
    'sandbox.NOT_FOUND',
    'sandbox.STATE',
    'sandbox.UNREACHABLE',
    'machine.FAILED',
    'machine.NO_CAPACITY',
    'node.GONE',
  ],
})

export const getSandboxStatus = operation({
  id: 'getSandboxStatus',
  tag: 'Sandboxes',
  summary: 'Get the status of a sandbox.',
  method: 'GET',
  path: `${sandboxes}/{sandboxId}/status`,
  access: read,
  response: SandboxHealth.pick({ problem: true }).extend({ status: SandboxStatus }),
  errors: ['sandbox.NOT_FOUND'],
})

export const pauseSandbox = operation({
  id: 'pauseSandbox',
  tag: 'Sandboxes',
  summary: 'Pause a sandbox. Its memory and screen are kept, and the time is not billed.',
  method: 'POST',
  path: `${sandboxes}/{sandboxId}/pause`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'machine.FAILED', 'node.GONE'],
})

export const resumeSandbox = operation({
  id: 'resumeSandbox',
  tag: 'Sandboxes',
  summary: 'Resume a paused sandbox, or start a hibernated one.',
  method: 'POST',
  path: `${sandboxes}/{sandboxId}/resume`,
  access: drive,
  addition: true,
  errors: [
    'sandbox.NOT_FOUND',
    'sandbox.STATE',
    'sandbox.UNREACHABLE',
    'machine.FAILED',
    'machine.NO_CAPACITY',
    'node.GONE',
  ],
})

export const hibernateSandbox = operation({
  id: 'hibernateSandbox',
  tag: 'Sandboxes',
  summary:
    'Stop a sandbox so that it takes no memory and no processor, and is not billed. Its files are kept; its programs end, unless it is a virtual machine, which continues.',
  method: 'POST',
  path: `${sandboxes}/{sandboxId}/hibernate`,
  access: drive,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'machine.FAILED', 'node.GONE'],
})
