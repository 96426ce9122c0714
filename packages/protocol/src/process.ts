import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'

const argument = z.string().regex(/^[^\0]*$/, 'must not contain a null byte')

/** How many bytes of stdout and of stderr a response contains at most. */
export const processOutputLimit = 1024 * 1024

export const execSandboxProcess = operation({
  id: 'execSandboxProcess',
  tag: 'Inside the machine',
  summary: 'Run a program and wait until it exits.',
  method: 'POST',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/process',
  access: { to: 'organization', role: 'member', trial: true },
  largeBody: true,
  body: z.object({
    executable: argument.min(1).describe('The program: a path, or a name that is looked up in PATH.'),
    args: z.array(argument).max(4096).default([]).describe('Its arguments. No shell interprets them.'),
    workingDirectory: argument.optional().describe("If omitted, the home folder of the sandbox's user."),
    stdinBase64: z.base64().optional().describe('What the program reads from its input, as base64.'),
    timeoutSeconds: z.int().min(1).max(240).default(60).describe('After this long the program is killed.'),
  }),
  response: z.object({
    stdoutBase64: z.string(),
    stderrBase64: z.string(),
    exitCode: z.int().describe('128+n if signal n ended it.'),
    stdoutTruncated: z.literal(true).optional().describe('Only the first MiB is included.'),
    stderrTruncated: z.literal(true).optional().describe('Only the first MiB is included.'),
    timedOut: z.literal(true).optional().describe('The program was killed after timeoutSeconds.'),
  }),
  long: true,
  examples: [{ body: { executable: 'uname', args: ['-a'] } }],
  errors: [...enterErrors, 'node.GONE', 'process.CANNOT_START'],
})
