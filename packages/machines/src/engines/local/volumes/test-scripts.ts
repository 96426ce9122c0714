import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { MachineError, type MachineErrorCode } from '../../../contract/errors.ts'
import type { Machine } from '../../../contract/machine.ts'

/** Whether an error is one of an engine with this code. */
export const isCode = (code: MachineErrorCode) => (error: unknown) =>
  error instanceof MachineError && error.code === code

/** Runs a script in a machine. */
export async function run(machine: Machine, script: string, user: string) {
  const running = await machine.exec({ executable: 'sh', args: ['-c', script], user })
  const [stdout, stderr] = await Promise.all([text(running.stdout), text(running.stderr)])
  return { code: (await running.exited).code, stdout, stderr }
}

/** Runs a script that must succeed, and returns its output. */
export async function asUser(machine: Machine, script: string, user = 'user'): Promise<string> {
  const { code, stdout, stderr } = await run(machine, script, user)
  assert.equal(code, 0, `${script}: ${stderr}`)
  return stdout
}

export const asRoot = (machine: Machine, script: string) => asUser(machine, script, 'root')
