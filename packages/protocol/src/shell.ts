import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

const rows = z.int().min(1).max(1000).describe('The height of the terminal, in characters.')
const columns = z.int().min(1).max(1000).describe('The width of the terminal, in characters.')
const text = z.string().regex(/^[^\0]*$/, 'must not contain a null byte')

/** The body of the operations that start a shell command. */
export const ShellRequest = z
  .object({
    command: text.min(1).describe("A command line, which the login shell of the sandbox's user runs."),
    useTty: z
      .boolean()
      .default(false)
      .describe('Whether it has a terminal. Its output and its errors are then one stream.'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('After this long it is killed. If omitted, it may run as long as the sandbox.'),
    workingDirectory: text.optional().describe("If omitted, the home folder of the sandbox's user."),
    ttyRows: rows.optional(),
    ttyCols: columns.optional(),
  })
  .meta({ id: 'ShellRequest' })
export type ShellRequest = z.infer<typeof ShellRequest>

/** A piece of a shell's output as plain text. */
export const ShellPart = z
  .discriminatedUnion('oneofKind', [
    z.object({ oneofKind: z.literal('stdout'), stdout: z.string() }),
    z.object({ oneofKind: z.literal('stderr'), stderr: z.string() }),
    z.object({ oneofKind: z.literal('waiting'), waiting: z.boolean() }),
  ])
  .meta({ id: 'ShellPart' })
export type ShellPart = z.infer<typeof ShellPart>

/** A server-sent event of a shell. Each has exactly one key, whose value is base64 or empty, unless the exit is included. */
export const ShellEvent = z
  .union([
    z.object({ stdout: z.base64() }),
    z.object({ stderr: z.base64() }),
    z.object({ timeout: z.base64() }),
    z.object({ dropped: z.base64().describe('How many bytes this reader missed, as a decimal number.') }),
    z.object({ waiting: z.literal('') }),
    z.object({
      end: z.literal(''),
      exitCode: z
        .int()
        .optional()
        .describe('If includeExit is true; 128+n if signal n ended it. Missing if it is not known.'),
      timedOut: z
        .literal(true)
        .optional()
        .describe('If includeExit is true: it was killed after timeoutSeconds.'),
    }),
  ])
  .meta({ id: 'ShellEvent' })

/** The longest part of a command that is listed. */
export const maxListedCommand = 1000

/** A shell of a sandbox, as it is listed. */
export const ListedShell = z
  .object({
    id: z.string(),
    command: z.string().describe(`The command, or its first ${maxListedCommand} characters.`),
    useTty: z.boolean(),
    startedAt: Time,
    workingDirectory: z.string().nullable().describe('null if the command was given none.'),
    exitCode: z.int().nullable().describe('null while it runs; 128+n if signal n ended it.'),
    isRunning: z.boolean(),
  })
  .meta({ id: 'ListedShell' })
export type ListedShell = z.infer<typeof ListedShell>

/** What is written to a shell's input. Bytes that are not text need `dataBase64`. */
const ShellInput = z
  .object({
    data: z.string().optional().describe('The text to write. A line ends with \\n.'),
    dataBase64: z
      .base64()
      .optional()
      .describe('The bytes as base64, instead of data. An addition to the contract.'),
  })
  .refine(({ data, dataBase64 }) => (data === undefined) !== (dataBase64 === undefined), {
    path: ['data'],
    message: 'or dataBase64 is required, and only one of them',
  })
  // The check above is a function, which no JSON Schema is made of.
  .meta({ oneOf: [{ required: ['data'] }, { required: ['dataBase64'] }] })

const shells = '/api/orgs/{orgId}/sandboxes/{sandboxId}/shell'
const drive = { to: 'organization', role: 'member', trial: true } as const
const sandboxErrors = [...enterErrors, 'node.GONE'] as const
const startErrors = [...sandboxErrors, 'process.CANNOT_START', 'shell.TOO_MANY'] as const
const shellErrors = [...sandboxErrors, 'shell.NOT_FOUND'] as const

export const streamSandboxShell = operation({
  id: 'streamSandboxShell',
  tag: 'Inside the machine',
  summary: 'Run a shell command and stream its output as server-sent events.',
  method: 'POST',
  path: `${shells}/stream`,
  access: drive,
  largeBody: true,
  body: ShellRequest.extend({
    includeExit: z
      .boolean()
      .default(false)
      .describe('Whether the last event has the exit code. An addition to the contract.'),
  }),
  answers: { events: ShellEvent },
  examples: [{ body: { command: 'echo hello' } }],
  errors: [...startErrors, 'shell.NOT_FOUND'],
})

export const createSandboxShell = operation({
  id: 'createSandboxShell',
  publishedId: 'createSandboxShellCommand',
  tag: 'Inside the machine',
  summary: 'Start a shell command.',
  method: 'POST',
  path: shells,
  access: drive,
  largeBody: true,
  body: ShellRequest,
  response: z.object({ sessionId: z.string() }),
  creates: true,
  examples: [{ body: { command: 'ls -l' } }],
  errors: startErrors,
})

export const listSandboxShells = operation({
  id: 'listSandboxShells',
  tag: 'Inside the machine',
  summary: 'List the shells of a sandbox, the first one that was started first.',
  method: 'GET',
  path: shells,
  access: drive,
  response: z.array(ListedShell),
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'node.GONE'],
})

export const writeSandboxShell = operation({
  id: 'writeSandboxShell',
  publishedId: 'writeSandboxShellCommand',
  tag: 'Inside the machine',
  summary: "Write to a shell's input.",
  method: 'POST',
  path: `${shells}/{shellId}`,
  access: drive,
  largeBody: true,
  body: ShellInput,
  examples: [{ body: { data: 'hello\n' } }],
  errors: [...shellErrors, 'shell.FINISHED', 'shell.INPUT_FULL'],
})

export const readSandboxShell = operation({
  id: 'readSandboxShell',
  publishedId: 'readSandboxShellCommand',
  tag: 'Inside the machine',
  summary:
    "Read a shell's output since the last read. It is returned in two formats, for two kinds of clients.",
  method: 'POST',
  path: `${shells}/{shellId}/read`,
  access: drive,
  response: z.object({
    output: z.array(ShellPart),
    outputs: z.array(z.object({ output: ShellPart })),
    isRunning: z.boolean(),
    exitCode: z.int().optional().describe('Set once the shell has finished; 128+n if signal n ended it.'),
    timedOut: z.literal(true).optional().describe('The shell was killed after timeoutSeconds.'),
    droppedBytes: z
      .int()
      .optional()
      .describe('How many bytes since the last read were dropped before this output.'),
  }),
  errors: shellErrors,
})

export const attachSandboxShell = operation({
  id: 'attachSandboxShell',
  tag: 'Inside the machine',
  summary:
    "Stream a shell's output, starting with what is buffered or after the event given by Last-Event-ID.",
  method: 'GET',
  path: `${shells}/{shellId}/stream`,
  access: drive,
  answers: { events: ShellEvent },
  addition: true,
  errors: shellErrors,
})

export const resizeSandboxShell = operation({
  id: 'resizeSandboxShell',
  tag: 'Inside the machine',
  summary: "Change the size of a shell's terminal.",
  method: 'PUT',
  path: `${shells}/{shellId}/size`,
  access: drive,
  body: z.object({ ttyRows: rows, ttyCols: columns }),
  addition: true,
  examples: [{ body: { ttyRows: 40, ttyCols: 120 } }],
  errors: [...shellErrors, 'shell.FINISHED', 'shell.NO_TERMINAL'],
})

export const finishSandboxShell = operation({
  id: 'finishSandboxShell',
  publishedId: 'finishSandboxShellCommand',
  tag: 'Inside the machine',
  summary: "Close a shell's input.",
  method: 'PUT',
  path: `${shells}/{shellId}/finish`,
  access: drive,
  errors: shellErrors,
})

export const terminateSandboxShell = operation({
  id: 'terminateSandboxShell',
  publishedId: 'terminateSandboxShellCommand',
  tag: 'Inside the machine',
  summary: 'Kill a shell and all processes that it started.',
  method: 'DELETE',
  path: `${shells}/{shellId}`,
  access: drive,
  errors: shellErrors,
})
