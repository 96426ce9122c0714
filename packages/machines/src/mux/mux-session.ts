import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { MuxOpener } from '@sandglass/wire/mux'
import type { Abortable } from '../contract/abortable.ts'
import { MachineError } from '../contract/errors.ts'
import { answerOf } from './answer-of.ts'
import { StreamDuplex } from './stream-duplex.ts'

export interface AnswerOptions extends Abortable {
  /** How long the other side may take to answer. */
  readonly timeoutMs?: number
}

/**
 * Opens streams to targets in a machine, over one byte stream that the session owns.
 *
 * @example
 * const session = await MuxSession.connect(transport)
 * const agent = await session.open('agent')
 */
export class MuxSession {
  readonly #transport: Duplex
  readonly #opener: MuxOpener
  readonly #streams = new Set<StreamDuplex>()
  readonly #ready = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<Error>()
  #isWoken = false
  #isFull = false
  #end: Error | undefined

  private constructor(transport: Duplex) {
    this.#transport = transport
    this.#opener = new MuxOpener({
      nonce: randomBytes(16),
      wake: () => this.#wake(),
      ready: () => this.#ready.resolve(),
    })
    transport.on('data', (chunk: Buffer) => this.#received(chunk))
    transport.on('drain', () => {
      this.#isFull = false
      this.#wake()
    })
    transport.on('error', error => this.#fail('the connection is broken', error))
    transport.on('end', () => this.#fail('the other side closed the connection'))
    transport.on('close', () => this.#fail('the connection was closed'))
    this.#wake()
  }

  /** Greets the other side and waits for its answer. If there is none, the transport is destroyed. */
  static async connect(transport: Duplex, options: AnswerOptions = {}): Promise<MuxSession> {
    const session = new MuxSession(transport)
    try {
      await session.#answer(session.#ready.promise, 'the greeting', options)
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** Resolves when the session has ended, with the reason. */
  get closed(): Promise<Error> {
    return this.#closed.promise
  }

  /** Opens a stream. Rejects with the code REFUSED and the reason if the other side does not want it. */
  async open(target: string, options: AnswerOptions = {}): Promise<StreamDuplex> {
    if (this.#end) throw this.#end
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stream = this.#opener.open(target, {
      accepted: resolve,
      refused: message => reject(new MachineError('REFUSED', `"${target}" was refused: ${message}`)),
      readable: () => duplex.received(),
      written: () => duplex.wrote(),
      reset: () => duplex.destroy(resetError()),
    })
    const duplex = new StreamDuplex(stream)
    try {
      await this.#answer(promise, `the request for "${target}"`, options)
    } catch (error) {
      stream.reset()
      throw error
    }
    if (this.#end) throw this.#end
    if (duplex.errored) throw duplex.errored
    this.#streams.add(duplex)
    duplex.once('close', () => this.#streams.delete(duplex))
    return duplex
  }

  /** Resolves if the other side is alive. There can be one question at a time. */
  async ping(options: AnswerOptions = {}): Promise<void> {
    if (this.#end) throw this.#end
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#opener.ping(resolve)
    await this.#answer(promise, 'a ping', options)
  }

  /** Ends all streams, and destroys the transport. */
  close(): void {
    this.#fail('the session was closed')
  }

  #answer(answer: Promise<void>, question: string, options: AnswerOptions): Promise<void> {
    return answerOf(answer, this.#closed.promise, question, options)
  }

  #received(chunk: Buffer): void {
    if (this.#end) return
    try {
      this.#opener.receive(chunk)
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : 'a violation of the protocol', error)
    }
  }

  /** Sends later, so that everything that happens now is sent at once. */
  #wake(): void {
    if (this.#isWoken || this.#isFull) return
    this.#isWoken = true
    queueMicrotask(() => {
      this.#isWoken = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#end || this.#isFull) return
    this.#transport.cork()
    while (!this.#isFull) {
      const bytes = this.#opener.next()
      if (!bytes) break
      this.#isFull = !this.#transport.write(bytes)
    }
    this.#transport.uncork()
  }

  #fail(reason: string, cause?: unknown): void {
    if (this.#end) return
    this.#end = new MachineError('UNREACHABLE', `The channel to the machine has ended: ${reason}.`, { cause })
    this.#closed.resolve(this.#end)
    for (const stream of this.#streams) stream.destroy(this.#end)
    this.#transport.destroy()
  }
}

function resetError(): Error {
  return Object.assign(new Error('The other side reset the stream.'), { code: 'ECONNRESET' })
}
