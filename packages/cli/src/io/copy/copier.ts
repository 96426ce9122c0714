import type { Sandbox } from '@sandglass/client'
import type { Context } from '../../context.ts'
import { CliError } from '../../failures.ts'
import { quote } from '../quote.ts'
import type { Progress } from './progress.ts'

/** What a copy between this computer and a sandbox works with. */
export interface Copier {
  readonly context: Context
  readonly box: Sandbox
  readonly progress: Progress
  /** Reports something that was not copied. The rest is. */
  readonly onSkipped: (message: string) => void
}

/** A path for programs in the machine: one that begins with a dash must not be an option. */
export function operand(path: string): string {
  return path.startsWith('/') ? path : `./${path}`
}

/** A path in a script. */
export function argument(path: string): string {
  return quote(operand(path))
}

/** As for `cp`, `folder/.` is what is in the folder, and not the folder itself. */
export function isContentOnly(path: string): boolean {
  return /(^|\/)\.$/.test(path)
}

/** Whether a path leads to a folder, also through symlinks. */
export async function isFolder({ box, context: { signal } }: Copier, path: string): Promise<boolean> {
  try {
    return (await box.files.stat(`${path}/.`, { signal })).kind === 'directory'
  } catch (error) {
    if (codeOf(error) === 'file.NOT_FOUND' || codeOf(error) === 'file.WRONG_KIND') return false
    throw error
  }
}

/** Runs a script in the machine and returns what it says, or fails with that. */
export async function runScript({ box, context: { signal } }: Copier, script: string): Promise<string> {
  const shell = await box.shell(`exec 2>&1\nset -e\n${script}`, { signal })
  await using _ = shell
  const said: Uint8Array[] = []
  for await (const { stdout } of shell) if (stdout) said.push(stdout)
  const { exitCode } = await shell.exit
  const text = Buffer.concat(said).toString().trim()
  if (exitCode !== 0) throw new CliError(text || `tar ended with ${exitCode}.`)
  return text
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
