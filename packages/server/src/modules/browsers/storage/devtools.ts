import type { Duplex } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import { WebSocket } from 'ws'
import { z } from 'zod'

/** What the service itself asks for has short answers. */
const maxMessageBytes = 1024 * 1024

const Message = z.object({
  id: z.int().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})
type Message = z.infer<typeof Message>

/** A browser has refused a command. */
export class DevtoolsError extends Error {}

/** A connection over which the service itself gives commands to a browser. Everything on it ends when the signal aborts. */
export class Devtools implements Disposable {
  readonly #webSocket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0
  /** Called with every event of a page. */
  onEvent: (method: string, params: unknown, sessionId: string) => void = () => {}

  private constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket
    webSocket.on('message', data => this.#receive(data.toString()))
    webSocket.on('close', () => this.#fail())
  }

  static async open(connection: Duplex, host: string, path: string, signal: AbortSignal): Promise<Devtools> {
    const webSocket = new WebSocket(`ws://${host}${path}`, {
      createConnection: () => connection,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    webSocket.once('open', resolve)
    webSocket.on('error', cause => reject(new ApiError('browser.FAILED', { cause })))
    signal.addEventListener('abort', () => webSocket.terminate())
    await promise
    return new Devtools(webSocket)
  }

  /** Sends a command to the browser, or to a page that it is attached to, and returns the result. */
  async send<Result extends z.ZodType>(
    result: Result,
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<z.output<Result>> {
    const id = ++this.#lastId
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) this.#fail()
    else this.#webSocket.send(JSON.stringify({ id, method, params, sessionId }))
    const parsed = result.safeParse(await answer.promise)
    if (!parsed.success) throw new ApiError('browser.FAILED', { cause: parsed.error })
    return parsed.data
  }

  [Symbol.dispose](): void {
    this.#webSocket.terminate()
  }

  #receive(text: string): void {
    const message = messageIn(text)
    if (!message) this.#webSocket.terminate()
    else if (message.id !== undefined) this.#settle(message.id, message)
    else if (message.method !== undefined && message.sessionId !== undefined)
      this.onEvent(message.method, message.params, message.sessionId)
  }

  #settle(id: number, { error, result }: Message): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new DevtoolsError(error.message.slice(0, 300)))
    else waiting?.resolve(result)
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) reject(new ApiError('browser.FAILED'))
    this.#waiting.clear()
  }
}

function messageIn(text: string): Message | undefined {
  try {
    return Message.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
