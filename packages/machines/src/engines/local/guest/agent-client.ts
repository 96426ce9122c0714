import { setTimeout as pause } from 'node:timers/promises'
import { MachineError, type MachineErrorCode } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'
import type { Guest, GuestStream } from './guest.ts'
import { type AgentAnswer, type AnswerLimits, parseAnswer, smallAnswer } from './parse-answer.ts'
import { readLine } from './read-line.ts'

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

/**
 * An agent that is busy with a long request still answers pings; one that answers nothing in time is considered hung.
 */
const pingAfterMs = 5000
const pingTimeoutMs = 5000

/** When each agent last answered anything. Where many requests come at once, a ping waits behind them. */
const answeredAtMs = new WeakMap<Guest, number>()

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
  /** What the answer may contain; that of most requests is small. */
  readonly limits?: AnswerLimits
  /** How long the answer may take while the machine is awake; `timeouts.answerMs` of the guest by default. */
  readonly timeoutMs?: number
}

/**
 * Sends one request to the agent, which is process 1 of the machine. Each request has its own connection: a line of
 * JSON, a line of answer, and then whatever the request transfers.
 */
export async function ask(
  guest: Guest,
  request: AgentAnswer,
  { signal, limits, timeoutMs = guest.timeouts.answerMs }: AskOptions = {},
): Promise<{ readonly socket: GuestStream; readonly answer: AgentAnswer }> {
  const socket = await begin(guest, request, signal)
  const abort = () => socket.destroy(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return { socket, answer: await answerInTime(guest, readAnswer(socket, limits), timeoutMs) }
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Sends a request that is not answered at once. */
export async function begin(guest: Guest, request: AgentAnswer, signal?: AbortSignal): Promise<GuestStream> {
  const socket = await guest.connect('agent', signal)
  socket.write(`${JSON.stringify(request)}\n`)
  return socket
}

/** Waits for an answer of the agent, and fails if it takes too long or if the agent hangs. */
export async function answerInTime<Answer>(
  guest: Guest,
  answer: Promise<Answer>,
  timeoutMs: number,
): Promise<Answer> {
  const settled = new AbortController()
  answer.then(
    () => answeredAtMs.set(guest, performance.now()),
    () => {},
  )
  try {
    return await Promise.race([answer, rejectIfLate(guest, timeoutMs, settled.signal)])
  } finally {
    settled.abort()
  }
}

/**
 * Rejects when the time is over, or earlier if the agent does not answer pings while a request waits for it; never
 * settles otherwise. A guest may answer pings for ever, so they do not extend the time.
 */
async function rejectIfLate(guest: Guest, timeoutMs: number, signal: AbortSignal): Promise<never> {
  for (let spentMs = 0; ; ) {
    const startMs = performance.now()
    const left = Math.max(0, timeoutMs - spentMs)
    const waitMs = Math.min(pingAfterMs, left)
    await pause(waitMs, undefined, { signal, ref: false }).catch(() => new Promise<never>(() => {}))
    // A machine that was paused in the meantime answers after it is resumed, so that time does not count.
    if (!(await guest.isAwake())) continue
    if (left <= pingAfterMs)
      throw new MachineError('MACHINE_FAILED', `the machine did not answer within ${timeoutMs} ms`)
    if (!(await isAnswering(guest)))
      throw new MachineError(
        'MACHINE_FAILED',
        `the machine did not answer within ${pingAfterMs + pingTimeoutMs} ms`,
      )
    spentMs += performance.now() - startMs
  }
}

async function isAnswering(guest: Guest): Promise<boolean> {
  const askedAtMs = performance.now()
  const timeout = AbortSignal.timeout(pingTimeoutMs)
  const socket = await guest.connect('agent', timeout).catch(() => undefined)
  // If the connection is refused, the agent has ended, and the waiting caller learns that from its own connection.
  if (!socket) return true
  const abort = () => socket.destroy()
  timeout.addEventListener('abort', abort, { once: true })
  try {
    socket.write('{"op": "ping"}\n')
    await readAnswer(socket)
    return true
  } catch {
    return !timeout.aborted || (answeredAtMs.get(guest) ?? 0) > askedAtMs
  } finally {
    timeout.removeEventListener('abort', abort)
    socket.destroy()
  }
}

/** Reads the next answer of the agent, and throws if the agent refused the request. */
export async function readAnswer(socket: GuestStream, limits = smallAnswer): Promise<AgentAnswer> {
  const answer = parseAnswer(await readLine(socket, limits.maxBytes), limits)
  if (answer['ok'] === true) return answer
  const { error: code, message } = answer
  throw new MachineError(
    isCode(code) ? code : 'STATE',
    typeof message === 'string' ? message : 'the machine refused',
  )
}
