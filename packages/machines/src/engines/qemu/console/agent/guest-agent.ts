import { addAbortListener } from 'node:events'
import { MachineError } from '../../../../contract/errors.ts'
import type { Json } from '../../../../contract/handle.ts'
import { type AnswerLimits, malformed } from '../../../local/guest/parse-answer.ts'
import type { ConsoleAccess } from '../console-access.ts'
import { JsonLines, type JsonRequest, Refusal } from '../json-lines.ts'

/** How long the agent may take to answer. */
export interface AgentTimes {
  /** To show that it runs at all. It answers in milliseconds, but an emulated guest may be busy. */
  readonly pingMs: number
  readonly answerMs: number
}

export const agentTimes: AgentTimes = { pingMs: 5000, answerMs: 60_000 }

/** An agent that answered this recently is not asked again whether it runs. */
const trustMs = 5000

const absent = (what: string, cause?: unknown) =>
  new MachineError(
    'LACKS_AGENT',
    `The system in this machine has no agent that answers, so ${what} cannot be used. Its screen, keyboard and mouse can.`,
    { cause },
  )

/** Sends a request, and resolves to the fields of its answer. */
export type Ask = (request: JsonRequest, limits?: AnswerLimits) => Promise<Readonly<Record<string, Json>>>

/** What is asked of QEMU's guest agent over one connection. */
export interface Conversation {
  readonly ask: Ask
  close(): void
}

/** QEMU's guest agent, if it runs in the guest. Its answers are not trusted. */
export class GuestAgent {
  readonly #access: Pick<ConsoleAccess, 'connect' | 'isAwake'>
  readonly #isExpected: boolean
  readonly #times: AgentTimes
  #answeredAtMs = Number.NEGATIVE_INFINITY

  /** `isExpected` is false if the machine has no channel to an agent. */
  constructor(access: Pick<ConsoleAccess, 'connect' | 'isAwake'>, isExpected: boolean, times = agentTimes) {
    this.#access = access
    this.#isExpected = isExpected
    this.#times = times
  }

  /** Begins a conversation. LACKS_AGENT if no agent answers; `what` says what it is needed for. */
  async begin(what: string, signal?: AbortSignal): Promise<Conversation> {
    if (!this.#isExpected) throw absent(what)
    const socket = await this.#access.connect('qga', signal).catch(cause => {
      throw cause instanceof MachineError && cause.code === 'REFUSED' ? absent(what, cause) : cause
    })
    const link = new JsonLines(socket)
    const abort = signal && addAbortListener(signal, () => link.close(asError(signal.reason)))
    void link.closed.then(() => abort?.[Symbol.dispose]())
    try {
      if (performance.now() - this.#answeredAtMs > trustMs)
        await this.#inTime(link, { execute: 'guest-ping' }, this.#times.pingMs, undefined, absent(what))
    } catch (error) {
      link.close()
      throw error
    }
    const ask: Ask = (request, limits) => this.#inTime(link, request, this.#times.answerMs, limits)
    return { ask, close: () => link.close() }
  }

  /** Has one conversation. */
  async with<T>(what: string, signal: AbortSignal | undefined, work: (ask: Ask) => Promise<T>): Promise<T> {
    const conversation = await this.begin(what, signal)
    try {
      return await work(conversation.ask)
    } finally {
      conversation.close()
    }
  }

  /** The time during which the machine is paused does not count. */
  async #inTime(
    link: JsonLines,
    request: JsonRequest,
    timeoutMs: number,
    limits?: AnswerLimits,
    late = new MachineError(
      'MACHINE_FAILED',
      `the agent in the machine did not answer within ${timeoutMs} ms`,
    ),
  ): Promise<Readonly<Record<string, Json>>> {
    const check = async () => {
      if (await this.#access.isAwake().catch(() => true)) link.close(late)
      else timer.refresh()
    }
    const timer = setTimeout(() => void check(), timeoutMs)
    try {
      const answer = await link.ask(request, limits)
      this.#answeredAtMs = performance.now()
      return fieldsOf(answer)
    } catch (error) {
      if (error instanceof Refusal) this.#answeredAtMs = performance.now()
      else this.#answeredAtMs = Number.NEGATIVE_INFINITY
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Most answers are objects; some are a number, which is called `value` here. */
function fieldsOf(answer: Json): Readonly<Record<string, Json>> {
  if (typeof answer === 'number') return { value: answer }
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) throw malformed()
  return answer
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The call was aborted.', 'AbortError')
}
