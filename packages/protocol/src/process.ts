import { z } from 'zod'
import { operation } from './operation.ts'

const argument = z.string().regex(/^[^\0]*$/, 'must not contain a zero byte')

export const execSandboxProcess = operation({
  id: 'execSandboxProcess',
  tag: 'Inside the machine',
  summary: 'Run a program to its end.',
  method: 'POST',
  path: '/api/orgs/{orgId}/sandboxes/{id}/process',
  access: { to: 'organization', role: 'member', trial: true },
  body: z.object({
    executable: argument.min(1),
    args: z.array(argument).default([]),
    workingDirectory: argument.optional(),
    stdinBase64: z.base64().optional(),
  }),
  response: z.object({ stdoutBase64: z.string(), stderrBase64: z.string(), exitCode: z.int() }),
})
