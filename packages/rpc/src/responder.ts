import type { Duplex } from 'node:stream'
import { z } from 'zod'
import type { Channel } from './channel.ts'
import { type ErrorCodec, type LinkClosed, plainErrors, UnfitResult } from './errors.ts'
import { type Frame, joinPayload, jsonBytes, kinds, splitPayload } from './frames.ts'
import { Link } from './link.ts'
import type { Method, MethodTable, NoticeTable } from './method.ts'

/** A call as the process sees it that serves it. */
export interface ServedCall {
  /** Aborted when the caller cancels the call or is gone. */
  readonly signal: AbortSignal
  readonly channels: readonly Channel[]
  /** Raw bytes that came with the arguments. */
  readonly bytes: Buffer
}

/** A result with raw bytes. */
export class WithBytes<Value> {
  readonly value: Value
  readonly bytes: Uint8Array

  constructor(value: Value, bytes: Uint8Array) {
    this.value = value
    this.bytes = bytes
  }
}

export type Handlers<Methods extends MethodTable> = {
  readonly [Name in keyof Methods]: (
    args: z.output<Methods[Name]['args']>,
    call: ServedCall,
  ) => Promise<z.input<Methods[Name]['result']> | WithBytes<z.input<Methods[Name]['result']>>>
}

export interface ResponderOptions<Methods extends MethodTable> {
  readonly methods: Methods
  readonly handlers: Handlers<Methods>
  readonly errors?: ErrorCodec
}

const Call = z.object({ name: z.string().max(100), args: z.unknown() })
const maxCallBytes = 16 * 1024 * 1024

/** Serves the calls of another process, and tells it what it did not ask for. */
export class Responder<Methods extends MethodTable, Notices extends NoticeTable = Record<never, never>> {
  readonly #link: Link
  readonly #options: ResponderOptions<Methods>
  readonly #serving = new Map<number, AbortController>()
  /** Resolves with the reason when the other process is gone. */
  readonly ended: Promise<LinkClosed>

  constructor(stream: Duplex, options: ResponderOptions<Methods>) {
    this.#options = options
    this.#link = new Link(stream, options.errors ?? plainErrors)
    this.#link.onFrame = frame => this.#receive(frame)
    this.ended = this.#link.ended
    void this.ended.then(reason => {
      for (const controller of this.#serving.values()) controller.abort(reason)
    })
  }

  tell<Name extends keyof Notices & string>(name: Name, notice: z.input<Notices[Name]>): void {
    this.#link.send(kinds.notice, 0, { name, notice })
  }

  close(): void {
    this.#link.close('the connection was closed')
  }

  #receive({ kind, id, payload }: Frame): void {
    if (kind === kinds.cancel) this.#serving.get(id)?.abort()
    else if (kind === kinds.call) this.#begin(id, payload)
    else throw new Error(`a frame of kind ${kind}`)
  }

  #begin(id: number, payload: Buffer): void {
    const { value, bytes } = splitPayload(payload, maxCallBytes)
    const { name, args } = Call.parse(value)
    const { methods, handlers } = this.#options
    const method = methods[name]
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
    if (!method || !handler) throw new Error('a call of an unknown name')
    if (this.#serving.has(id)) throw new Error('two calls of one number')
    const controller = new AbortController()
    this.#serving.set(id, controller)
    const channels = this.#link.open(id, method.channels)
    const call = { signal: controller.signal, channels, bytes }
    void this.#serve(id, channels, async () =>
      payloadOf(name, method, await handler(method.args.parse(args) as never, call)),
    )
  }

  async #serve(id: number, channels: readonly Channel[], work: () => Promise<Buffer>): Promise<void> {
    try {
      this.#link.sendPayload(kinds.answer, id, await work())
    } catch (error) {
      this.#link.sendError(kinds.failure, id, error)
      for (const channel of channels) channel.destroy()
    } finally {
      this.#serving.delete(id)
    }
  }
}

/**
 * Sends what the method promises and nothing that the value has besides. Throws if the caller would not accept it, because
 * it would close the link.
 */
function payloadOf(name: string, { result, maxResultBytes }: Method, found: unknown): Buffer {
  const { value, bytes } = found instanceof WithBytes ? found : { value: found, bytes: undefined }
  const { error, data } = result.safeParse(value)
  if (error) throw new UnfitResult(`${name} has a result that does not fit`, { cause: error })
  const payload = joinPayload(data, bytes)
  const length = jsonBytes(payload)
  if (length > maxResultBytes) throw new UnfitResult(`${name} has a result of ${length} bytes`)
  return payload
}
