import { z } from 'zod'
import { operation } from './operation.ts'

const size = z.int().min(1).max(1000)

export const ShellRequest = z
  .object({
    command: z.string().min(1),
    useTty: z.boolean().default(false),
    timeoutSeconds: z.int().min(1).max(86_400).optional(),
    workingDirectory: z.string().optional(),
    ttyRows: size.optional(),
    ttyCols: size.optional(),
  })
  .meta({ id: 'ShellRequest' })
export type ShellRequest = z.infer<typeof ShellRequest>

/** A piece of a shell's output, as plain text. */
export const Part = z
  .discriminatedUnion('oneofKind', [
    z.object({ oneofKind: z.literal('stdout'), stdout: z.string() }),
    z.object({ oneofKind: z.literal('stderr'), stderr: z.string() }),
    z.object({ oneofKind: z.literal('waiting'), waiting: z.boolean() }),
  ])
  .meta({ id: 'ShellPart' })
export type Part = z.infer<typeof Part>

const shells = '/api/orgs/{orgId}/sandboxes/{id}/shell'
const drive = { to: 'organization', role: 'member', trial: true } as const

export const streamSandboxShell = operation({
  id: 'streamSandboxShell',
  tag: 'Inside the machine',
  summary: 'Run a shell command and stream what it prints as server-sent events.',
  method: 'POST',
  path: `${shells}/stream`,
  access: drive,
  body: ShellRequest,
})

export const createSandboxShell = operation({
  id: 'createSandboxShell',
  tag: 'Inside the machine',
  summary: 'Start a shell command.',
  method: 'POST',
  path: shells,
  access: drive,
  body: ShellRequest,
  response: z.object({ sessionId: z.string() }),
  creates: true,
})

export const writeSandboxShell = operation({
  id: 'writeSandboxShell',
  tag: 'Inside the machine',
  summary: "Write to a shell's input.",
  method: 'POST',
  path: `${shells}/{shellId}`,
  access: drive,
  body: z.object({ data: z.string() }),
})

export const readSandboxShell = operation({
  id: 'readSandboxShell',
  tag: 'Inside the machine',
  summary: 'What a shell printed since the last read; the same twice, for two kinds of client.',
  method: 'POST',
  path: `${shells}/{shellId}/read`,
  access: drive,
  response: z.object({
    output: z.array(Part),
    outputs: z.array(z.object({ output: Part })),
    isRunning: z.boolean(),
  }),
})

export const finishSandboxShell = operation({
  id: 'finishSandboxShell',
  tag: 'Inside the machine',
  summary: "Close a shell's input.",
  method: 'PUT',
  path: `${shells}/{shellId}/finish`,
  access: drive,
})

export const terminateSandboxShell = operation({
  id: 'terminateSandboxShell',
  tag: 'Inside the machine',
  summary: 'End a shell and everything it started.',
  method: 'DELETE',
  path: `${shells}/{shellId}`,
  access: drive,
})
