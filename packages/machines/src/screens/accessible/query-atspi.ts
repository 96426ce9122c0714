import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'

const script = readFileSync(join(import.meta.dirname, 'query-atspi.py'), 'utf8')
const timeoutMs = 8000
/** How long a script that was killed may take to end. */
const afterAbortMs = 2000

/** The script prints no more than this. */
const maxOutput = 4 * 1024 * 1024

/**
 * Queries the programs of a desktop over AT-SPI. A script inside the machine does it; the request is passed on stdin,
 * because other users of the machine can read command lines.
 */
export async function queryAtSpi(exec: Machine['exec'], request: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const process = await exec({ executable: 'python3', args: ['-I', '-W', 'ignore', '-c', script], signal })
  process.stdin.end(request)
  const [printed, complaint, { code }] = await untilAborted(
    Promise.all([outputOf(process.stdout), outputOf(process.stderr), process.exited]),
    signal,
  )
  if (code === 0) return printed
  if (signal.aborted) throw tooSlow()
  throw new MachineError(
    'STATE',
    complaint.trim().split('\n').at(-1)?.slice(0, 300) || 'No program exposes its UI elements.',
  )
}

function tooSlow(): MachineError {
  return new MachineError('MACHINE_FAILED', `The programs did not answer within ${timeoutMs / 1000} s.`)
}

/** A machine may report neither the end of the script nor that of its output, although the script was killed. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => void setTimeout(() => reject(tooSlow()), afterAbortMs).unref()
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([result, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

async function outputOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    // Leaving the loop destroys the stream.
    if (length > maxOutput)
      throw new MachineError('MACHINE_FAILED', `The list of UI elements is longer than ${maxOutput} bytes.`)
    chunks.push(chunk)
    // Merge small chunks, because a machine that sends single bytes would otherwise use a hundred times the memory.
    if (chunks.length === 1000) chunks.splice(0, chunks.length, Buffer.concat(chunks))
  }
  return Buffer.concat(chunks).toString()
}
