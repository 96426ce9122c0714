import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { CallOptions } from './call-options.ts'
import { ConnectionError } from './errors.ts'
import { waitBeforeRetry } from './retry.ts'
import type { Route } from './routes.ts'
import { type AnyInput, pause, type Transport } from './transport.ts'

/** Streams of the service say every 15 seconds that they are there. */
const silenceMs = 50_000

export interface Streamed {
  readonly transport: Transport
  readonly route: Route
  readonly input: AnyInput
  readonly options: CallOptions
}

/**
 * Events as they happen. The connection is opened when they are read, and closed when the loop ends. If it is lost, the stream
 * continues after the last event, where the operation allows that.
 *
 * @example
 * for await (const event of client.stream('listEvents')) console.log(event.type)
 */
export class EventStream<T> implements AsyncIterable<T>, AsyncDisposable {
  readonly #streamed: Streamed
  readonly #closing = new AbortController()
  /** The id of the last event that was received, after which another stream can go on. */
  lastEventId: string | undefined

  constructor(streamed: Streamed) {
    this.#streamed = streamed
  }

  close(): void {
    this.#closing.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { options, route } = this.#streamed
    const closed = this.#closing.signal
    const signal = options.signal ? AbortSignal.any([options.signal, closed]) : closed
    const place: Place = { lastEventId: undefined, failures: 0 }
    while (!closed.aborted) {
      try {
        for await (const data of this.#connected(place, signal)) yield JSON.parse(data) as T
        return
      } catch (error) {
        if (closed.aborted) return
        if (signal.aborted) throw error
        const isRepeatable = route.method === 'GET'
        const wait = isRepeatable
          ? waitBeforeRetry(error, { failures: ++place.failures, isRepeatable })
          : undefined
        if (wait === undefined || place.failures > (options.retries ?? 10)) throw error
        await pause(wait, signal).catch(reason => {
          if (!closed.aborted) throw reason
        })
      }
    }
  }

  /** Yields the data of the events of one connection. */
  async *#connected(place: Place, signal: AbortSignal): AsyncGenerator<string> {
    const { transport, route, input, options } = this.#streamed
    const ended = new AbortController()
    const headers = {
      accept: 'text/event-stream',
      ...options.headers,
      ...(place.lastEventId !== undefined && { 'last-event-id': place.lastEventId }),
    }
    const both = AbortSignal.any([signal, ended.signal])
    const response = await transport.call(
      route,
      input,
      { ...options, headers, signal: both, retries: 0 },
      async answer => answer,
    )
    const silence = new Silence(() => ended.abort())
    const text = (response.body ?? new Blob([]).stream())
      .pipeThrough(silence.watch())
      .pipeThrough(new TextDecoderStream())
    const reader = text.pipeThrough(new EventSourceParserStream()).getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        place.failures = 0
        if (value.id !== undefined) place.lastEventId = this.lastEventId = value.id
        if (value.data !== '') yield value.data
      }
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      throw new ConnectionError('The connection of the stream was lost.', {
        code: 'client.DISCONNECTED',
        cause,
      })
    } finally {
      silence.end()
      ended.abort()
    }
  }
}

interface Place {
  lastEventId: string | undefined
  failures: number
}

/** Notices a connection on which nothing comes any more. */
class Silence {
  readonly #onSilence: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
    this.#restart()
  }

  watch(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.#restart()
        controller.enqueue(chunk)
      },
    })
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #restart(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSilence, silenceMs)
  }
}
