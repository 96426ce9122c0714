import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'

const script = readFileSync(join(import.meta.dirname, 'ask-programs.py'), 'utf8')
const patienceMs = 8000

/** More than all that the program would print. */
const maxOutput = 16 * 1024 * 1024

/** What the programs of a desktop answer by AT-SPI. A program inside asks them; what it is to ask is on its stdin, where nobody else sees it. */
export async function askPrograms(exec: Machine['exec'], request: string): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs)
  const process = await exec({ executable: 'python3', args: ['-I', '-W', 'ignore', '-c', script], signal })
  process.stdin.end(request)
  const [printed, complaint, { code }] = await Promise.all([
    outputOf(process.stdout),
    outputOf(process.stderr),
    process.exited,
  ])
  if (code === 0) return printed
  if (signal.aborted)
    throw new MachineError('MACHINE_FAILED', `The programs did not answer within ${patienceMs / 1000} s.`)
  throw new MachineError('STATE', complaint.trim().split('\n').at(-1)?.slice(0, 300) || 'Nobody tells.')
}

async function outputOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length <= maxOutput) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
