import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../../contract/errors.ts'
import type { CommandLine } from '../../../../contract/guest-profile.ts'
import type { Json } from '../../../../contract/handle.ts'
import { type AnswerLimits, malformed } from '../../../local/guest/parse-answer.ts'
import { Refusal } from '../json-lines.ts'
import type { Ask } from './guest-agent.ts'

/** How a program ended, and what it printed. */
export interface Outcome {
  readonly code: number
  readonly signal?: number
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** An answer has everything that a program printed, in base64. The agent itself keeps up to 16 MiB. */
const outcomeLimits: AnswerLimits = { maxBytes: 12 * 1024 * 1024, maxValues: 64 }

/** The agent does not report the end of a program, so it is asked: often at first, and then less and less. */
const firstPollMs = 10
const maxPollMs = 500

/** Starts a program, and resolves to its process id. NOT_FOUND or DENIED if the agent cannot start it. */
export async function startProgram(
  ask: Ask,
  { executable, args }: CommandLine,
  input: Uint8Array = new Uint8Array(0),
): Promise<number> {
  const request = {
    path: executable,
    arg: [...args],
    'capture-output': true,
    ...(input.length > 0 && { 'input-data': Buffer.from(input).toString('base64') }),
  }
  try {
    const { pid } = await ask({ execute: 'guest-exec', arguments: request })
    if (!Number.isSafeInteger(pid)) throw malformed()
    return Number(pid)
  } catch (error) {
    throw error instanceof Refusal ? startError(error, executable) : error
  }
}

/** Waits for the end of a program. */
export async function awaitProgram(ask: Ask, pid: number): Promise<Outcome> {
  for (let waitMs = firstPollMs; ; waitMs = Math.min(1.5 * waitMs, maxPollMs)) {
    const status = await ask({ execute: 'guest-exec-status', arguments: { pid } }, outcomeLimits).catch(
      error => {
        throw error instanceof Refusal ? lost(error) : tooLong(error)
      },
    )
    if (status['exited'] === true) return outcomeOf(status)
    await pause(waitMs)
  }
}

function outcomeOf(status: Readonly<Record<string, Json>>): Outcome {
  const { exitcode, signal } = status
  const output = {
    stdout: bytesOf(status['out-data'], status['out-truncated']),
    stderr: bytesOf(status['err-data'], status['err-truncated']),
  }
  if (isSmall(signal)) return { code: 128 + signal, signal, ...output }
  return { code: isSmall(exitcode) ? exitcode : 0, ...output }
}

function bytesOf(data: Json | undefined, truncated: Json | undefined): Buffer {
  if (truncated === true) throw tooLong()
  return Buffer.from(typeof data === 'string' ? data : '', 'base64')
}

/** Exit codes of Windows have 32 bits. */
const isSmall = (value: Json | undefined): value is number =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 32

function tooLong(cause?: unknown): unknown {
  if (cause instanceof Error && !/too long/.test(cause.message)) return cause
  const message =
    'the program printed more than the agent in the machine passes on; let it print to a file, and read that'
  return new MachineError('STATE', message, { cause })
}

const lost = (cause: Refusal) =>
  new MachineError('MACHINE_FAILED', `the agent in the machine lost the program: ${cause.message}`, { cause })

function startError({ message }: Refusal, executable: string): MachineError {
  if (/No such file|cannot find|not found/i.test(message))
    return new MachineError('NOT_FOUND', `the program cannot be used: there is no ${executable}`)
  if (/Permission denied|Access is denied/i.test(message))
    return new MachineError('DENIED', `the program cannot be used: permission denied: ${executable}`)
  if (/disabled|not (?:been )?found|blocked/i.test(message))
    return new MachineError('LACKS_AGENT', `The agent in the machine does not run programs: ${message}`)
  return new MachineError('INVALID', `the program cannot be started: ${message}`)
}
