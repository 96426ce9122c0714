import { text } from 'node:stream/consumers'
import type { RunningMachine } from '@sandglass/workers/contract'
import { startProcess } from '../../../modules/processes/start-process.ts'

/** Returns the environment of programs in a machine. */
export async function environmentOf(
  machine: RunningMachine,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const process = await startProcess(machine, { executable: 'env', args: ['-0'], signal })
  process.stdin.end()
  const pairs = (await text(process.stdout)).split('\0').filter(pair => pair.includes('='))
  return Object.fromEntries(
    pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}
