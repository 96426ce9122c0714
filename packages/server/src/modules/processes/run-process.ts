import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { ApiError, type execSandboxProcess, processOutputLimit } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { z } from 'zod'
import { refusalOf, startProcess } from './start-process.ts'

type Request = z.output<NonNullable<(typeof execSandboxProcess)['body']>>
type Result = z.input<NonNullable<(typeof execSandboxProcess)['response']>>

/** How long a killed program may take to end. It never ends if its machine was paused in the meantime. */
const killGraceMs = 5000

/** Runs a program to its end. It is killed at its timeout, or when the caller disconnects. */
export async function runProcess(
  machine: RunningMachine,
  request: Request,
  gone: AbortSignal,
): Promise<Result> {
  const { executable, args, workingDirectory, stdinBase64 = '', timeoutSeconds } = request
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
  const signal = AbortSignal.any([gone, timeout])
  const process = await startProcess(machine, {
    executable,
    args,
    signal,
    ...(workingDirectory !== undefined && { workingDirectory }),
  })
  process.stdin.end(Buffer.from(stdinBase64, 'base64'))
  const late = new AbortController()
  try {
    const [stdout, stderr, exit] = await Promise.race([
      Promise.all([collect(process.stdout), collect(process.stderr), process.exited]),
      failAfter(timeoutSeconds * 1000 + killGraceMs, late.signal),
    ])
    return {
      stdoutBase64: stdout.base64,
      stderrBase64: stderr.base64,
      exitCode: exit.code,
      ...(stdout.isTruncated && { stdoutTruncated: true }),
      ...(stderr.isTruncated && { stderrTruncated: true }),
      ...(timeout.aborted && exit.signal === 9 && { timedOut: true }),
    }
  } catch (error) {
    process.release()
    // A guest that replaced the agent may go on sending.
    process.stdout.destroy()
    process.stderr.destroy()
    throw refusalOf(error)
  } finally {
    late.abort()
  }
}

async function failAfter(ms: number, signal: AbortSignal): Promise<never> {
  await setTimeout(ms, undefined, { signal })
  throw new ApiError('sandbox.STATE', { message: 'The program did not end when it was killed.' })
}

/** Reads all output, so that the program is not blocked, but keeps only the beginning. */
async function collect(stream: Readable): Promise<{ base64: string; isTruncated: boolean }> {
  const kept: Buffer[] = []
  let size = 0
  let isTruncated = false
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, processOutputLimit - size)
    if (part.length > 0) kept.push(part)
    if (part.length < chunk.length) isTruncated = true
    size += part.length
    // Merge small chunks, because a program that prints single bytes would otherwise use a hundred times the memory.
    if (kept.length === 1000) kept.splice(0, kept.length, Buffer.concat(kept))
  }
  return { base64: Buffer.concat(kept).toString('base64'), isTruncated }
}
