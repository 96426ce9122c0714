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
const lineLimit = 64 * 1024 * 1024

/** An agent that is busy with a long request still answers a ping; one that does not in this time hangs. */
const pingAfterMs = 5000
const pingTimeoutMs = 5000

/** One request to the agent, process 1 of the machine: a connection, a line, its answer; what follows is the caller's. */
export async function ask(
  guest: Guest,
  request: AgentAnswer,
  signal?: AbortSignal,
): Promise<{ readonly socket: Socket; readonly answer: AgentAnswer }> {
  await guest.assertAwake()
  const socket = await connectIn(guest.places.sockets, 'agent', signal)
  const abort = () => socket.destroy(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    socket.write(`${JSON.stringify(request)}\n`)
    const answer = readAnswer(socket)
    const settled = new AbortController()
    try {
      return { socket, answer: await Promise.race([answer, hanging(guest, settled.signal)]) }
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

/** Rejects when the agent does not answer pings while a request waits for it; never settles otherwise. */
async function hanging(guest: Guest, signal: AbortSignal): Promise<never> {
  for (;;) {
    await pause(pingAfterMs, undefined, { signal, ref: false }).catch(() => new Promise<never>(() => {}))
    // A machine that was paused meanwhile answers when it is resumed.
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
  const late = AbortSignal.timeout(pingTimeoutMs)
  const socket = await connectIn(guest.places.sockets, 'agent', late).catch(() => undefined)
  // Where nobody takes connections the agent has ended, which whoever waits for it hears of.
  if (!socket) return true
  const abort = () => socket.destroy()
  late.addEventListener('abort', abort, { once: true })
  try {
    socket.write('{"op": "ping"}\n')
    await readAnswer(socket)
    return true
  } catch {
    return !late.aborted
  } finally {
    late.removeEventListener('abort', abort)
    socket.destroy()
  }
}

/** The next answer of the agent; throws what it refused with. */
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
  throw new MachineError('STATE', 'the machine answered with something that is no answer')
}

const gone = (cause?: unknown) => new MachineError('STATE', 'the machine closed the connection', { cause })

/** What broke a connection, as callers know it. Anything but the network's own error is why one of them gave up. */
export function lost(error: Error): Error {
  return 'code' in error && /^(EPIPE|ECONNRESET)$/.test(String(error.code)) ? gone(error) : error
}

/** Takes one line and leaves the rest in the stream. */
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
    const broke = (error: Error) => failed(lost(error))
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
        if (size > lineLimit)
          return failed(new MachineError('STATE', 'the machine answered with an endless line'))
      }
    }
    socket.on('readable', take).on('end', ended).on('error', broke).on('close', ended)
    // One that has closed tells of it no more.
    if (!socket.closed) return
    if (socket.errored) broke(socket.errored)
    else ended()
  })
}
