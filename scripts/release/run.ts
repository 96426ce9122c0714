import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program and resolves with what it printed; rejects with what it complained about. */
export async function run(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}
