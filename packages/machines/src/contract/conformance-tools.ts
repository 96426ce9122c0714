import { text } from 'node:stream/consumers'
import { MachineError } from './errors.ts'
import type { Machine } from './machine.ts'
import type { ExecSpec } from './process.ts'

export const fails = (code: string) => (error: unknown) =>
  error instanceof MachineError && error.code === code

export async function output(machine: Machine, spec: ExecSpec) {
  const process = await machine.exec(spec)
  const [stdout, stderr, exit] = await Promise.all([
    text(process.stdout),
    text(process.stderr),
    process.exited,
  ])
  return { stdout, stderr, ...exit }
}

export const shell = (script: string): ExecSpec => ({ executable: 'sh', args: ['-c', script] })
