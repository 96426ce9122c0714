import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError, type MachineErrorCode } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'
import { connectIn } from '../network/unix-socket.ts'
import type { Guest } from './guest.ts'

export type AgentAnswer = Readonly<Record<string, Json>>

const codes: ReadonlySet<string> = new Set<MachineErrorCode>([
  'NOT_FOUND',
  'INVALID',
  'STATE',
  'DENIED',
  'REFUSED',
  'WRONG_KIND',
  'EXISTS',
  'NO_SPACE',
  'HOST_FULL',
])
const isCode = (code: Json | undefined): code is MachineErrorCode =>
  typeof code === 'string' && codes.has(code)

/** A guest could answer with a line that never ends. */
const maxLineBytes = 64 * 1024 * 1024

/**
 * An agent that is busy with a long request still answers pings; one that does not answer in time is considered hung.
 */
const pingAfterMs = 5000
const pingTimeoutMs = 5000

/**
 * Sends one request to the agent, which is process 1 of the machine. Each request has its own connection: a line of
 * JSON, a line of answer, and then whatever the request transfers.
 */
export async function ask(
  guest: Guest,
  request: AgentAnswer,
  signal?: AbortSignal,
): Promise<{ readonly socket: Socket; readonly answer: AgentAnswer }> {
  await guest.assertAwake()
  const socket = await connectIn(guest.paths.sockets, 'agent', signal)
  const abort = () => socket.destroy(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    socket.write(`${JSON.stringify(request)}\n`)
    const answer = readAnswer(socket)
    const settled = new AbortController()
    try {
      return { socket, answer: await Promise.race([answer, rejectIfHung(guest, settled.signal)]) }
    } finally {
      settled.abort()
      answer.catch(() => {})
    }
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Rejects if the agent does not answer pings while a request waits for it; never settles otherwise. */
async function rejectIfHung(guest: Guest, signal: AbortSignal): Promise<never> {
  for (;;) {
    await pause(pingAfterMs, undefined, { signal, ref: false }).catch(() => new Promise<never>(() => {}))
    // A machine that was paused in the meantime answers after it is resumed.
    const isAwake = await guest.assertAwake().then(
      () => true,
      () => false,
    )
    if (isAwake && !(await isAnswering(guest)))
      throw new MachineError(
        'MACHINE_FAILED',
        `the machine did not answer within ${pingAfterMs + pingTimeoutMs} ms`,
      )
  }
}

async function isAnswering(guest: Guest): Promise<boolean> {
  const timeout = AbortSignal.timeout(pingTimeoutMs)
  const socket = await connectIn(guest.paths.sockets, 'agent', timeout).catch(() => undefined)
  // If the connection is refused, the agent has ended, and the waiting caller learns that from its own connection.
  if (!socket) return true
  const abort = () => socket.destroy()
  timeout.addEventListener('abort', abort, { once: true })
  try {
    socket.write('{"op": "ping"}\n')
    await readAnswer(socket)
    return true
  } catch {
    return !timeout.aborted
  } finally {
    timeout.removeEventListener('abort', abort)
    socket.destroy()
  }
}

/** Reads the next answer of the agent, and throws if the agent refused the request. */
export async function readAnswer(socket: Socket): Promise<AgentAnswer> {
  const answer = parseAnswer(await readLine(socket))
  if (answer['ok'] === true) return answer
  const code = answer['error']
  throw new MachineError(isCode(code) ? code : 'STATE', String(answer['message'] ?? 'the machine refused'))
}

export function parseAnswer(line: string): AgentAnswer {
  try {
    const value: Json = JSON.parse(line)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  } catch {}
  throw new MachineError('STATE', 'the machine sent a malformed answer')
}

const gone = (cause?: unknown) => new MachineError('STATE', 'the machine closed the connection', { cause })

/**
 * Converts network errors of a broken connection into an error for callers. Any other error is the reason why a
 * caller gave up, and is kept.
 */
export function asConnectionError(error: Error): Error {
  return 'code' in error && /^(EPIPE|ECONNRESET)$/.test(String(error.code)) ? gone(error) : error
}

/** Reads one line and leaves the rest in the stream. */
export function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const held: Buffer[] = []
    let size = 0
    const stop = () => {
      socket.off('readable', take).off('end', ended).off('error', broke).off('close', ended)
    }
    const failed = (error: Error) => {
      stop()
      reject(error)
    }
    const ended = () => failed(gone())
    const broke = (error: Error) => failed(asConnectionError(error))
    const take = () => {
      for (let chunk: Buffer | null = socket.read(); chunk; chunk = socket.read()) {
        const end = chunk.indexOf(10)
        if (end >= 0) {
          stop()
          held.push(chunk.subarray(0, end))
          if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
          resolve(Buffer.concat(held).toString('utf8'))
          return
        }
        held.push(chunk)
        size += chunk.length
        if (size > maxLineBytes)
          return failed(new MachineError('STATE', 'the machine answered with a line that is too long'))
      }
    }
    socket.on('readable', take).on('end', ended).on('error', broke).on('close', ended)
    // A socket that is already closed emits no more events.
    if (!socket.closed) return
    if (socket.errored) broke(socket.errored)
    else ended()
  })
}
