import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

const bytes = z.int().min(0)
const space = z.object({ usedBytes: bytes, limitBytes: bytes })

/** What a machine uses at one moment. A kind of machine that does not know a part of it has null there. */
export const SandboxFigures = z
  .object({
    at: Time,
    cpu: z
      .object({
        usedSeconds: z
          .number()
          .min(0)
          .describe('Processor time since the machine was started. It only grows.'),
        cpus: z.number().positive().describe('How many processors it may use.'),
      })
      .nullable(),
    memory: space.nullable().describe('Without files that the system only keeps in memory to be faster.'),
    disk: space.nullable(),
    network: z
      .object({ receivedBytes: bytes, sentBytes: bytes })
      .nullable()
      .describe('Since the machine was started. null also for a machine without a network.'),
  })
  .meta({ id: 'SandboxFigures' })
export type SandboxFigures = z.infer<typeof SandboxFigures>

export const getSandboxFigures = operation({
  id: 'getSandboxFigures',
  tag: 'Sandboxes',
  summary: 'Get what a sandbox uses of its processors, memory, disk and network. It does not count as use.',
  method: 'GET',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/figures',
  access: { to: 'organization', role: 'viewer', trial: true },
  response: SandboxFigures,
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'node.GONE'],
})
