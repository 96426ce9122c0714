import { z } from 'zod'
import { eventType } from './event-type.ts'
import { EndReason, SandboxStatus } from './sandbox.ts'
import { Time } from './time.ts'

/** Why the status of a sandbox changed, for programs. The event's `reason` says it for people. */
export const StateReason = z.enum([
  'started',
  'restarting',
  'paused',
  'resumed',
  'waking',
  'hibernated',
  'failed',
  'stopped',
  'killed',
  'out-of-memory',
  'engine-lost',
  'member-lost',
  'node-lost',
  'node-returned',
])
export type StateReason = z.infer<typeof StateReason>

const inControl = z.object({
  by: z.string().nullable().describe('The name of the person, if it is known.'),
  message: z.string().nullable().describe('What the agent asked for, if it said so.'),
})

const key = { kind: 'apiKey', id: '0b6f2a34-6f1e-4d0c-9f3e-4f2f8e7f9a10' } as const
const service = (id: string) => ({ kind: 'service', id }) as const
const sandbox = { subject: 'sandbox', role: 'viewer' } as const

/** What happens to sandboxes and inside them. */
export const sandboxEventTypes = {
  'sandbox.created': eventType({
    ...sandbox,
    about: 'A sandbox was created. Its machine may still be starting.',
    data: z.object({
      name: z.string(),
      shapeName: z.string(),
      projectId: z.string(),
      status: SandboxStatus,
      expiresAt: Time,
      labels: z.record(z.string(), z.string()),
    }),
    example: {
      data: {
        name: 'sandbox',
        shapeName: 'small',
        projectId: 'b1d6c9b4-0f1c-4c35-8f0e-0d8a5b0a6f11',
        status: 'PENDING',
        expiresAt: '2026-11-15T02:02:03.456Z',
        labels: {},
      },
      actor: key,
    },
  }),
  'sandbox.state.updated': eventType({
    ...sandbox,
    about: 'The status of a sandbox changed, or it was paused, hibernated or resumed.',
    data: z.object({ from: SandboxStatus, to: SandboxStatus, reason: StateReason }),
    example: {
      data: { from: 'PENDING', to: 'RUNNING', reason: 'started' },
      actor: service('machines'),
    },
  }),
  'sandbox.extended': eventType({
    ...sandbox,
    about: 'The end of a sandbox was moved.',
    data: z.object({ expiresAt: Time }),
    example: { data: { expiresAt: '2026-11-15T03:02:03.456Z' }, actor: key },
  }),
  'sandbox.updated': eventType({
    ...sandbox,
    about: 'The name or the labels of a sandbox were changed.',
    data: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
    example: { data: { name: 'checkout', labels: { team: 'shop' } }, actor: key },
  }),
  'sandbox.expiring': eventType({
    ...sandbox,
    about:
      'A sandbox will expire soon: SANDGLASS_EXPIRING_SECONDS before it does. After an extension, the event is repeated before the new end.',
    data: z.object({ expiresAt: Time }),
    example: { data: { expiresAt: '2026-11-15T02:02:03.456Z' }, actor: service('expiry') },
  }),
  'sandbox.deleted': eventType({
    ...sandbox,
    about: 'A sandbox has ended.',
    data: z.object({ reason: EndReason }),
    example: { data: { reason: 'deleted' }, actor: key },
  }),
  'sandbox.control.requested': eventType({
    ...sandbox,
    about: 'An agent asked for a person to take over.',
    data: inControl,
    example: { data: { by: null, message: null }, actor: key },
  }),
  'sandbox.control.taken': eventType({
    ...sandbox,
    about: 'A person took control of a sandbox.',
    data: inControl,
    example: { data: { by: 'Ada', message: null }, actor: service('live') },
  }),
  'sandbox.control.returned': eventType({
    ...sandbox,
    about: 'The agent has control of a sandbox again.',
    data: inControl,
    example: { data: { by: 'Ada', message: null }, actor: service('live') },
  }),
  'snapshot.created': eventType({
    ...sandbox,
    about: 'A snapshot of a sandbox is being taken.',
    data: z.object({ snapshotId: z.string(), name: z.string() }),
    example: {
      data: { snapshotId: 'c3f0e2a8-4a52-4c5b-8a44-5f6b7c8d9e12', name: 'before the update' },
      actor: key,
    },
  }),
  'snapshot.ready': eventType({
    ...sandbox,
    about: 'A snapshot was taken.',
    data: z.object({ snapshotId: z.string() }),
    example: { data: { snapshotId: 'c3f0e2a8-4a52-4c5b-8a44-5f6b7c8d9e12' }, actor: service('machines') },
  }),
  'snapshot.failed': eventType({
    ...sandbox,
    about: 'A snapshot could not be taken, or its disk is gone.',
    data: z.object({ snapshotId: z.string() }),
    example: {
      data: { snapshotId: 'c3f0e2a8-4a52-4c5b-8a44-5f6b7c8d9e12' },
      reason: 'The machine could not be saved.',
      actor: service('machines'),
    },
  }),
  'snapshot.deleted': eventType({
    ...sandbox,
    about: 'A snapshot was deleted. Snapshots that end with their sandbox have no event of their own.',
    data: z.object({ snapshotId: z.string() }),
    example: { data: { snapshotId: 'c3f0e2a8-4a52-4c5b-8a44-5f6b7c8d9e12' }, actor: key },
  }),
  'shell.exited': eventType({
    ...sandbox,
    about: 'The command of a shell has ended.',
    data: z.object({
      shellId: z.string(),
      exitCode: z.int().describe('128+n if signal n ended it.'),
      timedOut: z.boolean().describe('It was killed after timeoutSeconds.'),
    }),
    example: {
      data: { shellId: 'd4a1f3b9-5b63-4d6c-9b55-6a7c8d9eaf13', exitCode: 0, timedOut: false },
      actor: service('machines'),
    },
  }),
  'port.opened': eventType({
    ...sandbox,
    about:
      'A mapped port of a sandbox has accepted a connection for the first time since its machine, or the process that has it, was started.',
    data: z.object({ port: z.int() }),
    example: { data: { port: 3000 }, actor: service('machines') },
  }),
  'mapping.created': eventType({
    ...sandbox,
    about: 'A port of a sandbox was mapped to a domain.',
    data: z.object({ targetEndpoint: z.string() }),
    example: { data: { targetEndpoint: '127.0.0.1:3000' }, actor: key },
  }),
  'mapping.deleted': eventType({
    ...sandbox,
    about: 'A mapped port was removed. Mappings that end with their sandbox have no event of their own.',
    data: z.object({ targetEndpoint: z.string() }),
    example: { data: { targetEndpoint: '127.0.0.1:3000' }, actor: key },
  }),
}
