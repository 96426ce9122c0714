import type { Socket } from 'node:net'
import { MachineError } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'
import {
  type AgentAnswer,
  type AnswerLimits,
  malformed,
  parseAnswer,
  smallAnswer,
} from '../../local/guest/parse-answer.ts'
import { readLine } from '../../local/guest/read-line.ts'

/** The refusal of a request, in the words of whoever refused it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

export interface JsonRequest {
  readonly execute: string
  readonly arguments?: Readonly<Record<string, Json>>
}

interface Pending {
  readonly id: number
  readonly limits: AnswerLimits
  readonly answer: PromiseWithResolvers<Json>
}

/** A connection on which each line is a JSON object: requests, and their answers in the same order. */
export class JsonLines {
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<Error>
  readonly #closing = Promise.withResolvers<Error>()
  readonly #socket: Socket
  readonly #pending: Pending[] = []
  #lastId = 0
  #failure: Error | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.closed = this.#closing.promise
    void this.#readAnswers()
  }

  /** Requests are sent at once, so that several can be under way. Fails with a {@link Refusal} if it is refused. */
  ask(request: JsonRequest, limits: AnswerLimits = smallAnswer): Promise<Json> {
    if (this.#failure) return Promise.reject(this.#failure)
    const pending = { id: ++this.#lastId, limits, answer: Promise.withResolvers<Json>() }
    this.#pending.push(pending)
    this.#socket.write(`${JSON.stringify({ ...request, id: pending.id })}\n`)
    return pending.answer.promise
  }

  /** Ends the connection after what was sent before. */
  close(reason: Error = new MachineError('STATE', 'the machine has ended or was closed')): void {
    if (this.#failure) return
    this.#failure = reason
    this.#socket.end(() => this.#socket.destroy())
    for (const { answer } of this.#pending.splice(0)) answer.reject(reason)
    this.#closing.resolve(reason)
  }

  async #readAnswers(): Promise<void> {
    try {
      for (;;) {
        const line = await readLine(this.#socket, () => (this.#pending[0]?.limits ?? smallAnswer).maxBytes)
        const pending = this.#pending.shift()
        if (!pending) throw malformed()
        try {
          pending.answer.resolve(answerOf(pending, line))
        } catch (error) {
          pending.answer.reject(error)
          if (!(error instanceof Refusal)) throw error
        }
      }
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)))
      this.#socket.destroy()
    }
  }
}

function answerOf({ id, limits }: Pending, line: Buffer): Json {
  const answer: AgentAnswer = parseAnswer(line, limits)
  if (answer['id'] !== undefined && answer['id'] !== id) throw malformed()
  const { error, return: value } = answer
  if (error !== undefined) throw new Refusal(descriptionOf(error))
  if (value === undefined) throw malformed()
  return value
}

function descriptionOf(error: Json): string {
  const desc =
    error !== null && typeof error === 'object' && !Array.isArray(error) ? error['desc'] : undefined
  return typeof desc === 'string' ? desc.slice(0, 500) : 'no reason given'
}
