import type { Duplex } from 'node:stream'
import { Allowance } from '@sandglass/wire/limits'
import { connectionRequest, IncomingStream, type Setup, X11Error, X11LimitError } from '@sandglass/wire/x11'
import { MachineError } from '../../contract/errors.ts'
import { PacedChunks } from '../paced-chunks.ts'
import { TurnWriter } from '../turn-writer.ts'
import { withTimeout } from '../with-timeout.ts'

/** Far more than programs cause that draw all the time, or open and close many windows. */
const messagesPerSecond = 20_000
/** Far more than looks at small changes need. */
const bytesPerSecond = 64 * 1024 * 1024

/** Far more than all requests that are sent at once. A server that reads less has hung. */
const maxUnsentBytes = 1024 * 1024

interface PendingRequest {
  readonly sequence: number
  readonly answer: (reply: Uint8Array) => void
  readonly fail: (error: Error) => void
}

/**
 * One connection to an X server, for ordered requests and the replies to some of them. The server runs inside the
 * machine and is not trusted; the worst it can do is make this connection fail.
 */
export class X11Connection {
  readonly setup: Setup
  readonly #stream: Duplex
  readonly #incoming: IncomingStream
  readonly #pending: PendingRequest[] = []
  readonly #messages: Allowance
  readonly #bytes: Allowance
  readonly #chunks: PacedChunks
  readonly #writer: TurnWriter
  #sequence = 0
  #failure: Error | undefined
  readonly #listeners = new Set<(code: number, bytes: Uint8Array) => void>()
  readonly #closing = Promise.withResolvers<Error>()
  /** Resolves with the reason when the connection has ended. */
  readonly closed = this.#closing.promise

  private constructor(stream: Duplex, incoming: IncomingStream, setup: Setup, now?: () => number) {
    this.#stream = stream
    this.#incoming = incoming
    this.setup = setup
    this.#messages = new Allowance(messagesPerSecond, now)
    this.#bytes = new Allowance(bytesPerSecond, now)
    this.#writer = new TurnWriter(stream, maxUnsentBytes, () =>
      this.#fail(new X11LimitError('the X server does not read what it is sent')),
    )
    const decoder = { receive: (chunk: Uint8Array) => this.#receive(chunk), proceed: () => true }
    this.#chunks = new PacedChunks(stream, decoder, error =>
      this.#fail(error instanceof Error ? error : new X11Error(String(error))),
    )
    stream.on('error', error => this.#fail(error))
    const onEnd = () => this.#fail(new X11Error('the X server closed the connection'))
    stream.on('end', onEnd).on('close', onEnd)
  }

  /** `now` is the time in milliseconds by which the server is limited; tests stop it. */
  static async open(stream: Duplex, now?: () => number): Promise<X11Connection> {
    const incoming = new IncomingStream()
    const setup = await withTimeout(readSetup(stream, incoming))
    return new X11Connection(stream, incoming, setup, now)
  }

  get isOpen(): boolean {
    return this.#failure === undefined
  }

  /** Calls the listener for every selected event, until the function that is returned is called. */
  listen(listener: (code: number, bytes: Uint8Array) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Sends a request without a reply. It leaves with the next request that has a reply, or at the end of this turn of
   * the event loop.
   */
  send(request: Uint8Array): void {
    if (this.#failure) throw this.#failure
    this.#sequence++
    this.#writer.send(request)
  }

  /**
   * Resolves with the reply, after the server has processed this request and all before it. A timeout closes the
   * connection, because a server grab held by this client would block every other client.
   */
  async ask<T>(request: Uint8Array, read: (reply: Uint8Array) => T): Promise<T> {
    const answer = new Promise<T>((resolve, reject) => {
      this.send(request)
      this.#pending.push({
        sequence: this.#sequence & 0xffff,
        answer: reply => {
          try {
            resolve(read(reply))
          } catch (cause) {
            reject(new X11Error('a reply of the X server is too short', { cause }))
          }
        },
        fail: reject,
      })
      this.#writer.flush()
    })
    try {
      return await withTimeout(answer)
    } catch (error) {
      if (error instanceof MachineError) this.#fail(error)
      throw error
    }
  }

  close(): void {
    this.#fail(new X11Error('the connection to the X server was closed'))
  }

  /** Returns true, because the messages of one chunk are few enough to be read at once. */
  #receive(chunk: Uint8Array): boolean {
    const messages = this.#incoming.receive(chunk)
    if (!this.#bytes.take(chunk.length) || !this.#messages.take(messages.length))
      throw new X11LimitError(
        `the X server sent more than ${messagesPerSecond} messages or ${bytesPerSecond} bytes per second`,
      )
    for (const message of messages) {
      if (message.kind === 'event')
        for (const listener of this.#listeners) listener(message.code, message.bytes)
      else if (message.kind === 'reply') this.#takePending(message.sequence)?.answer(message.bytes)
      else if (message.kind === 'error' && this.#pending[0]?.sequence === message.sequence)
        this.#pending.shift()?.fail(new X11Error(`the X server refused a request (error ${message.code})`))
    }
    return true
  }

  #takePending(sequence: number): PendingRequest | undefined {
    if (this.#pending[0]?.sequence === sequence) return this.#pending.shift()
    throw new X11Error('the X server sent an unexpected reply')
  }

  #fail(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    this.#writer.end()
    this.#chunks.end()
    this.#stream.destroy()
    for (const { fail } of this.#pending.splice(0)) fail(error)
    this.#closing.resolve(error)
  }
}

function readSetup(stream: Duplex, incoming: IncomingStream): Promise<Setup> {
  const { promise, resolve, reject } = Promise.withResolvers<Setup>()
  const onEnd = () => reject(new X11Error('the X server closed the connection'))
  const onData = (chunk: Uint8Array) => {
    try {
      for (const message of incoming.receive(chunk)) if (message.kind === 'setup') resolve(message.setup)
    } catch (error) {
      reject(error)
    }
  }
  stream.on('data', onData).on('error', reject).on('end', onEnd).on('close', onEnd)
  stream.write(connectionRequest())
  return promise
    .catch(error => {
      stream.destroy()
      throw error
    })
    .finally(() => stream.off('data', onData).off('error', reject).off('end', onEnd).off('close', onEnd))
}
