import { z } from 'zod'
import type { ToolDefinition } from './tool-definition.ts'

/** Longer output is of little use to a model and fills its context. */
const maxCharacters = 20_000

export const shell = {
  name: 'shell',
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
} as const satisfies ToolDefinition

/** What a command has done. */
export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Shortens what a command has printed, and describes it to the model. */
export function describeRun(ran: Ran, timeoutSeconds: number): { readonly ran: Ran; readonly text: string } {
  const { exitCode, timedOut } = ran
  const stdout = truncateMiddle(ran.stdout)
  const stderr = truncateMiddle(ran.stderr)
  const end = timedOut
    ? `It was ended after ${timeoutSeconds} s. Give a longer timeoutSeconds, or run it in the background with &.`
    : `It ended with exit code ${exitCode}.`
  const parts = [stdout, stderr && `stderr:\n${stderr}`, end].filter(part => part !== '')
  return { ran: { exitCode, stdout, stderr, timedOut }, text: parts.join('\n') }
}

/** Keeps the beginning and the end of a long text, because they usually tell the model most. */
function truncateMiddle(text: string): string {
  const left = text.length - maxCharacters
  if (left <= 0) return text
  const half = maxCharacters / 2
  return `${text.slice(0, half)}\n… ${left} characters are left out …\n${text.slice(-half)}`
}
