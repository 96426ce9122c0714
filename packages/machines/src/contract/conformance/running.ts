import { text } from 'node:stream/consumers'
import { MachineError, type MachineErrorCode } from '../errors.ts'
import type { Machine } from '../machine.ts'
import type { ExecSpec } from '../process.ts'

/** A check for `assert.rejects`: the error is a `MachineError` with this code. */
export const fails = (code: MachineErrorCode) => (error: unknown) =>
  error instanceof MachineError && error.code === code

/** Runs a program to its end and returns what it printed and how it ended. */
export async function output(machine: Machine, spec: ExecSpec) {
  const process = await machine.exec(spec)
  const [stdout, stderr, exit] = await Promise.all([
    text(process.stdout),
    text(process.stderr),
    process.exited,
  ])
  return { stdout, stderr, ...exit }
}

/** The command lines of all processes in the machine. */
export async function commandLines(machine: Machine): Promise<string> {
  return (await output(machine, machine.guest.listProcesses)).stdout
}
