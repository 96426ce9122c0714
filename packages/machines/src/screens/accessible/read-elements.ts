import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { UiElement } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiTree } from '../../contract/ui-tree.ts'

const script = readFileSync(join(import.meta.dirname, 'read-elements.py'), 'utf8')
const patienceMs = 8000

/** More than all that the program would print. */
const mostOutput = 16 * 1024 * 1024

/** What the programs of a desktop tell by AT-SPI of what they show. A program inside asks them, and only then. */
export async function readElements(exec: Machine['exec']): Promise<UiTree> {
  const signal = AbortSignal.timeout(patienceMs)
  const process = await exec({ executable: 'python3', args: ['-I', '-W', 'ignore', '-c', script], signal })
  process.stdin.end()
  const [printed, complaint, { code }] = await Promise.all([
    outputOf(process.stdout),
    outputOf(process.stderr),
    process.exited,
  ])
  if (code === 0) return parseElements(printed)
  if (signal.aborted)
    throw new MachineError('STATE', `The programs did not tell what they show within ${patienceMs / 1000} s.`)
  throw new MachineError('STATE', complaint.trim().split('\n').at(-1)?.slice(0, 300) || 'Nobody tells.')
}

/** What comes is a stranger's, since it comes from inside. */
export function parseElements(printed: string): UiTree {
  try {
    return UiElement.array().parse(JSON.parse(printed))
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'What the programs tell of their windows cannot be read.', {
      cause,
    })
  }
}

async function outputOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length <= mostOutput) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
