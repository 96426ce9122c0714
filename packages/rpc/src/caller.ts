import type { Duplex } from 'node:stream'
import type { z } from 'zod'
import type { Channel } from './channel.ts'
import { type ErrorCodec, LinkClosed, plainErrors } from './errors.ts'
import { type Frame, kinds, splitPayload } from './frames.ts'
import { Link } from './link.ts'
import { type MethodTable, maxChannels, type NoticeTable } from './method.ts'

export interface CallerOptions<Methods extends MethodTable, Notices extends NoticeTable> {
  readonly methods: Methods
  readonly notices?: Notices
  readonly onNotice?: NoticeHandlers<Notices>
  readonly errors?: ErrorCodec
}

export type NoticeHandlers<Notices extends NoticeTable> = {
  readonly [Name in keyof Notices]: (notice: z.output<Notices[Name]>) => void
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Raw bytes that go with the arguments. */
  readonly bytes?: Uint8Array
}

/** The result of a call. */
export interface Answer<Result> {
  readonly value: Result
  /** Raw bytes that came with the result. */
  readonly bytes: Buffer
}

/** A call that has begun. */
export interface Started<Result> {
  readonly channels: readonly Channel[]
  readonly answer: Promise<Answer<Result>>
}

interface Waiting {
  readonly name: string
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: unknown) => void
  readonly signal: AbortSignal | undefined
  readonly onAbort: () => void
}

/** Numbers of calls start again before their channels would not fit into 32 bits. */
const maxCall = Math.floor(2 ** 32 / maxChannels) - 1
const maxNoticeBytes = 1024 * 1024

/** Calls methods of another process. */
export class Caller<Methods extends MethodTable, Notices extends NoticeTable = Record<never, never>> {
  readonly #link: Link
  readonly #options: CallerOptions<Methods, Notices>
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  /** Resolves with the reason when the other process is gone. Every call fails then. */
  readonly ended: Promise<LinkClosed>

  constructor(stream: Duplex, options: CallerOptions<Methods, Notices>) {
    this.#options = options
    this.#link = new Link(stream, options.errors ?? plainErrors)
    this.#link.onFrame = frame => this.#receive(frame)
    this.ended = this.#link.ended
    void this.ended.then(reason => this.#failAll(reason))
  }

  get isClosed(): boolean {
    return this.#link.isClosed
  }

  async call<Name extends keyof Methods & string>(
    name: Name,
    args: z.input<Methods[Name]['args']>,
    options: CallOptions = {},
  ): Promise<z.output<Methods[Name]['result']>> {
    return (await this.start(name, args, options).answer).value
  }

  /** Begins a call whose channels are used before or after its answer. If it fails, they are closed. */
  start<Name extends keyof Methods & string>(
    name: Name,
    args: z.input<Methods[Name]['args']>,
    { signal, bytes }: CallOptions = {},
  ): Started<z.output<Methods[Name]['result']>> {
    const method = this.#options.methods[name]
    if (!method) throw new Error(`there is no method ${name}`)
    signal?.throwIfAborted()
    const id = this.#nextId()
    const channels = this.#link.open(id, method.channels)
    const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>()
    const onAbort = () => this.#link.send(kinds.cancel, id, undefined)
    this.#waiting.set(id, { name, resolve, reject, signal, onAbort })
    signal?.addEventListener('abort', onAbort, { once: true })
    promise.catch(error => {
      for (const channel of channels) channel.destroy(error)
    })
    if (this.#link.isClosed)
      this.#settle(id)?.reject(this.#link.failure(new LinkClosed('the other process ended')))
    else this.#link.send(kinds.call, id, { name, args }, bytes)
    return { channels, answer: promise as Promise<Answer<z.output<Methods[Name]['result']>>> }
  }

  close(): void {
    this.#link.close('the connection was closed')
  }

  #nextId(): number {
    do this.#calls = (this.#calls % maxCall) + 1
    while (this.#waiting.has(this.#calls))
    return this.#calls
  }

  #receive({ kind, id, payload }: Frame): void {
    if (kind === kinds.notice) {
      this.#notice(payload)
      return
    }
    if (kind !== kinds.answer && kind !== kinds.failure) throw new Error(`a frame of kind ${kind}`)
    const waiting = this.#settle(id)
    if (!waiting) return
    if (kind === kinds.answer) this.#answer(waiting, payload)
    else if (waiting.signal?.aborted) waiting.reject(waiting.signal.reason)
    else waiting.reject(this.#link.errorIn(payload))
  }

  #answer({ name, resolve, reject }: Waiting, payload: Buffer): void {
    const method = this.#options.methods[name]
    try {
      const { value, bytes } = splitPayload(payload, method?.maxResultBytes ?? 0)
      resolve({ value: method?.result.parse(value), bytes })
    } catch (error) {
      const reason = `the other process answered ${name} with what it must not`
      reject(this.#link.failure(new LinkClosed(reason, { cause: error })))
      throw error
    }
  }

  #notice(payload: Buffer): void {
    const { value } = splitPayload(payload, maxNoticeBytes)
    const { name, notice } = value as { name: string; notice: unknown }
    const schema = this.#options.notices?.[name]
    if (!schema) throw new Error(`a notice of an unknown name`)
    this.#options.onNotice?.[name]?.(schema.parse(notice) as never)
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.signal?.removeEventListener('abort', waiting.onAbort)
    return waiting
  }

  #failAll(reason: LinkClosed): void {
    for (const id of [...this.#waiting.keys()]) {
      const waiting = this.#settle(id)
      waiting?.reject(waiting.signal?.aborted ? waiting.signal.reason : this.#link.failure(reason))
    }
  }
}
