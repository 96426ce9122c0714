import { z } from 'zod'
import { LifecycleChange } from './lifecycle.ts'
import { operation } from './operation.ts'
import { Sandbox } from './sandbox.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** The status of a saved disk. */
export const SavedStatus = z.enum(['CREATING', 'READY', 'ERROR']).meta({ id: 'SavedStatus' })
export type SavedStatus = z.infer<typeof SavedStatus>

export const SizeMiB = z
  .number()
  .describe(
    'What it occupies by itself, in MiB. What it shares with its shape or with others is not counted.',
  )

export const PauseMs = z
  .number()
  .describe('For how many milliseconds programs in the sandbox could not write.')

/** The disk of a sandbox at one moment. It ends with the sandbox. */
export const Snapshot = z
  .object({
    id: z.string(),
    sandboxId: z.string(),
    name: z.string(),
    createdAt: Time,
    status: SavedStatus,
    reason: z.string().optional().describe('Why the snapshot is in ERROR.'),
    sizeMiB: SizeMiB.optional(),
    memory: z.boolean().describe('Whether the memory was saved as well.'),
  })
  .meta({ id: 'Snapshot' })
export type Snapshot = z.infer<typeof Snapshot>

const memory = z
  .boolean()
  .default(false)
  .describe('Whether programs should continue where they were. Refused for shapes that cannot do it.')

const sandbox = '/api/orgs/{orgId}/sandboxes/{sandboxId}'
const change = { to: 'organization', role: 'member' } as const
const saveErrors = [
  'sandbox.NOT_FOUND',
  'sandbox.STATE',
  'sandbox.UNREACHABLE',
  'snapshot.UNSUPPORTED',
  'snapshot.NO_MEMORY',
  'machine.FAILED',
  'node.DISK_FULL',
  'node.GONE',
] as const

export const createSandboxSnapshot = operation({
  id: 'createSandboxSnapshot',
  tag: 'Snapshots',
  summary: 'Save the disk of a sandbox as it is now. The sandbox keeps running.',
  method: 'POST',
  path: `${sandbox}/snapshots`,
  access: change,
  body: z
    .object({ name: Name.default('snapshot').describe('The name of the snapshot.'), memory })
    .prefault({}),
  response: Snapshot.extend({ pauseMs: PauseMs.optional() }),
  creates: true,
  addition: true,
  examples: [{ body: { name: 'before the update' } }],
  errors: [...saveErrors, 'snapshot.TOO_MANY'],
})

export const listSandboxSnapshots = operation({
  id: 'listSandboxSnapshots',
  tag: 'Snapshots',
  summary: 'List the snapshots of a sandbox.',
  method: 'GET',
  path: `${sandbox}/snapshots`,
  access: { to: 'organization', role: 'viewer' },
  response: z.array(Snapshot),
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
})

export const deleteSandboxSnapshot = operation({
  id: 'deleteSandboxSnapshot',
  tag: 'Snapshots',
  summary: 'Delete a snapshot of a sandbox.',
  method: 'DELETE',
  path: `${sandbox}/snapshots/{snapshotId}`,
  access: change,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'snapshot.NOT_FOUND'],
})

export const restoreSandbox = operation({
  id: 'restoreSandbox',
  tag: 'Snapshots',
  summary:
    'Set the disk of a sandbox back to a snapshot of it, and start its desktop again. What is newer than the snapshot is lost.',
  method: 'POST',
  path: `${sandbox}/restore`,
  access: change,
  long: true,
  body: z.object({ snapshotId: z.string().min(1).describe('The id of a snapshot of this sandbox.') }),
  addition: true,
  examples: [{ body: { snapshotId: '{snapshotId}' } }],
  errors: [
    'sandbox.NOT_FOUND',
    'sandbox.STATE',
    'sandbox.UNREACHABLE',
    'snapshot.NOT_FOUND',
    'snapshot.NOT_READY',
    'snapshot.UNSUPPORTED',
    'machine.FAILED',
    'node.DISK_FULL',
    'node.GONE',
  ],
})

/** What became of one fork. */
export const ForkResult = z
  .union([
    z.object({ sandbox: Sandbox }),
    z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
  ])
  .meta({ id: 'ForkResult' })
export type ForkResult = z.infer<typeof ForkResult>

export const forkSandbox = operation({
  id: 'forkSandbox',
  tag: 'Snapshots',
  summary: 'Create sandboxes whose disks start as the disk of this one is now. The sandbox keeps running.',
  method: 'POST',
  path: `${sandbox}/fork`,
  access: change,
  long: true,
  body: z
    .object({
      count: z.int().min(1).max(20).default(1).describe('How many sandboxes to create.'),
      maxLifeSeconds: z
        .int()
        .min(1)
        .max(86_400)
        .default(3600)
        .describe('For how many seconds every fork lives.'),
      name: Name.optional().describe("The name of every fork; the sandbox's own by default."),
      lifecycle: LifecycleChange.optional().describe("Changes to the sandbox's own rules, for every fork."),
      memory,
    })
    .prefault({}),
  response: z.object({
    results: z.array(ForkResult).describe('One for each fork.'),
    pauseMs: PauseMs,
  }),
  creates: true,
  addition: true,
  examples: [{ body: { count: 1, maxLifeSeconds: 600 } }],
  errors: [...saveErrors, 'shape.NOT_FOUND', 'shape.PLAN_TOO_LOW', 'sandbox.TOO_MANY'],
})
