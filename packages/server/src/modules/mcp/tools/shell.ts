import { z } from 'zod'
import { runProcess } from '../../processes/run-process.ts'
import { machineTool } from './machine-tool.ts'

/** Longer output is of little use to a model and fills its context. */
const maxCharacters = 20_000

const Output = z.object({
  exitCode: z.int().meta({ description: '0 is success; 128+n where signal n ended the command.' }),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
})

export const shell = machineTool({
  name: 'shell',
  isRecorded: true,
  title: 'Run a command',
  description:
    'Run a command in a login shell (bash) of the computer, as the user of its desktop, and get what it prints. The command must end by itself: start programs with a window, and servers, in the background with & at the end. Each call is a shell of its own, so use workingDirectory in place of cd. sudo needs no password.',
  input: z.object({
    command: z
      .string()
      .min(1)
      .max(100_000)
      .regex(/^[^\0]*$/, 'must not contain a zero byte')
      .meta({
        description: 'What to run, as for bash -lc.',
      }),
    workingDirectory: z
      .string()
      .min(1)
      .regex(/^[^\0]*$/, 'must not contain a zero byte')
      .optional()
      .meta({
        description: 'The home of the user where it is left out.',
      }),
    timeoutSeconds: z.int().min(1).max(240).default(60).meta({
      description: 'The command is ended after so long.',
    }),
  }),
  output: Output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run({ command, workingDirectory, timeoutSeconds }, { inside, signal }) {
    const { executable, args } = inside.machine.guest.shell.login(command)
    const ran = await runProcess(
      inside.machine,
      { executable, args: [...args], workingDirectory, timeoutSeconds },
      signal,
    )
    const stdout = truncateMiddle(textOf(ran.stdoutBase64))
    const stderr = truncateMiddle(textOf(ran.stderrBase64))
    const timedOut = ran.timedOut ?? false
    const end = timedOut
      ? `It was ended after ${timeoutSeconds} s. Give a longer timeoutSeconds, or run it in the background with &.`
      : `It ended with exit code ${ran.exitCode}.`
    const parts = [stdout, stderr && `stderr:\n${stderr}`, end].filter(part => part !== '')
    return {
      content: [{ type: 'text', text: parts.join('\n') }],
      structuredContent: { exitCode: ran.exitCode, stdout, stderr, timedOut },
    }
  },
})

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}

/** Keeps the beginning and the end of a long text, because they usually tell the model most. */
function truncateMiddle(text: string): string {
  const left = text.length - maxCharacters
  if (left <= 0) return text
  const half = maxCharacters / 2
  return `${text.slice(0, half)}\n… ${left} characters are left out …\n${text.slice(-half)}`
}
