import { once } from 'node:events'
import { z } from 'zod'
import type { MachineActivity } from '../../../contract/activity.ts'
import { ask, readAnswer } from '../../local/guest/agent-client.ts'
import type { Guest, GuestStream } from '../../local/guest/guest.ts'

/** How long an answer may take. Whoever settles waits for it. */
const usualAnswerMs = 1000
/** An agent that did not answer, or not as it should, is asked again after this time. */
const retryMs = 5000

const maxProcesses = 1024
const limits = { maxBytes: 32 * 1024, maxValues: maxProcesses + 64 }

/** Differences of larger numbers would not be numbers any more, with which nothing settles. */
const counter = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const Told = z.object({
  cpuMs: counter,
  loads: counter,
  processes: z.array(counter).max(maxProcesses),
  stolenMs: counter,
  hostLoad: counter,
})

/**
 * What the agent of a machine says about the processes of its machine, where the host cannot see them. The machine may say anything,
 * so it is good only for what harms nobody else: how long an action in this machine waits until it has taken effect.
 */
export class ToldActivity {
  readonly #guest: Guest
  readonly #answerMs: number
  #connection: GuestStream | undefined
  #answer: Promise<MachineActivity | undefined> | undefined
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(guest: Guest, answerMs = usualAnswerMs) {
    this.#guest = guest
    this.#answerMs = answerMs
  }

  /** Undefined if the agent does not say. Callers that come together share an answer. */
  now(): Promise<MachineActivity | undefined> {
    if (performance.now() - this.#failedAtMs < retryMs) return Promise.resolve(undefined)
    this.#answer ??= this.#ask().finally(() => {
      this.#answer = undefined
    })
    return this.#answer
  }

  async #ask(): Promise<MachineActivity | undefined> {
    const late = AbortSignal.timeout(this.#answerMs)
    const giveUp = once(late, 'abort').then(() => late.throwIfAborted())
    try {
      return Told.parse(await Promise.race([this.#next(late), giveUp]))
    } catch {
      this.#connection?.destroy()
      this.#connection = undefined
      this.#failedAtMs = performance.now()
      return undefined
    }
  }

  /** One connection carries all answers, because a new one takes longer than the answer. */
  async #next(signal: AbortSignal): Promise<unknown> {
    if (!this.#connection || this.#connection.closed) {
      const { socket, answer } = await ask(this.#guest, { op: 'activity' }, { limits, signal })
      this.#connection = socket
      // Nobody listens between two questions. The next one finds out that the connection was lost.
      socket.on('error', () => {}).unref()
      return answer
    }
    this.#connection.write('\n')
    return await readAnswer(this.#connection, limits)
  }
}
