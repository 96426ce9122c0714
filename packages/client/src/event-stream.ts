import type { CallOptions } from './call-options.ts'
import { incomplete } from './connection-failure.ts'
import { WrongServiceError } from './errors.ts'
import { LinkedSignal } from './linked-signal.ts'
import { pause } from './pause.ts'
import { requireType } from './read-answer.ts'
import { waitBeforeRetry } from './retry.ts'
import { messagesOf } from './stream-connection.ts'
import type { Call, Opened, Transport } from './transport.ts'

/** Streams of the service say every 15 seconds that they are there. */
const usualSilenceMs = 50_000
/** With the pauses between them, they last for more than a minute, in which a service restarts. */
const usualReconnects = 20
/** A connection that lasted for so long was a good one, although nothing may have happened. */
const goodConnectionMs = 10_000

/** How far a stream has come. */
interface Place {
  lastEventId: string | undefined
  /** The service has begun to answer, so it may have done something that must not be repeated. */
  isOpened: boolean
  /** The service has said that nothing more comes. */
  isOver: boolean
  failures: number
}

/** A connection that was opened before somebody reads it. */
interface First {
  readonly end: LinkedSignal
  readonly opened: Promise<Opened>
}

/**
 * Events as they happen. The connection is opened when they are read, and closed when the loop ends. If it is lost, the stream
 * continues after the last event. Where the operation does not number its events, a lost connection is an error, because events may
 * have been missed. `event.CURSOR_EXPIRED` is one too, for the same reason.
 *
 * @example
 * for await (const event of client.stream('listEvents')) console.log(event.type)
 */
export class EventStream<T> implements AsyncIterable<T>, AsyncDisposable {
  readonly #transport: Transport
  readonly #call: Call
  readonly #closing = new AbortController()
  #first: First | undefined
  /** The id of the last event that was received, after which another stream can go on. */
  lastEventId: string | undefined

  constructor(transport: Transport, call: Call) {
    this.#transport = transport
    this.#call = call
  }

  /**
   * Connects now, and returns the headers of the answer. Whoever reads the events later misses none of them.
   *
   * @example
   * const headers = await stream.open()
   */
  async open(): Promise<Headers> {
    if (!this.#first) {
      const end = new LinkedSignal([this.#closing.signal, this.#call.options.signal])
      this.#first = { end, opened: this.#open(this.#call.options, end.signal) }
      this.#first.opened.catch(() => end.release())
    }
    return (await this.#first.opened).response.headers
  }

  /** Ends the loops that read the stream, as if it had come to its end. */
  close(): void {
    this.#closing.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const closed = this.#closing.signal
    const end = this.#first?.end ?? new LinkedSignal([closed, this.#call.options.signal])
    try {
      yield* this.#follow(end.signal)
    } catch (error) {
      if (!closed.aborted) throw error
    } finally {
      end.release()
    }
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    const { route, options } = this.#call
    const reconnects = options.retries ?? this.#transport.options.retries ?? usualReconnects
    const place: Place = { lastEventId: undefined, isOpened: false, isOver: false, failures: 0 }
    while (!place.isOver) {
      try {
        yield* this.#connected(place, signal)
      } catch (error) {
        signal.throwIfAborted()
        const isRepeatable = place.lastEventId !== undefined || (route.isRepeatable && !place.isOpened)
        const wait = waitBeforeRetry(error, { failures: ++place.failures, isRepeatable })
        if (wait === undefined || place.failures > reconnects) throw error
        await pause(wait, signal)
      }
    }
  }

  /** Yields the events of one connection. */
  async *#connected(place: Place, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    const { options } = this.#call
    const { streamSilenceMs = usualSilenceMs } = this.#transport.options
    const headers = {
      ...options.headers,
      ...(place.lastEventId !== undefined && { 'last-event-id': place.lastEventId }),
    }
    const first = this.#first
    this.#first = undefined
    const opened = await (first?.opened ?? this.#open({ ...options, headers, retries: 0 }, signal))
    place.isOpened = true
    const openedAt = Date.now()
    for await (const { data, id } of messagesOf(opened, streamSilenceMs)) {
      if (data !== '' || Date.now() - openedAt > goodConnectionMs) place.failures = 0
      if (id !== undefined) place.lastEventId = this.lastEventId = id
      if (data === '') continue
      const event = parse(data, opened.url)
      if (isLast(event)) place.isOver = true
      yield event as T
    }
    // A service that stops ends its streams too. Where events have no numbers, the end of the connection is their end.
    if (place.lastEventId === undefined) place.isOver = true
    else if (!place.isOver) throw incomplete(opened.url, undefined)
  }

  #open(options: CallOptions, signal: AbortSignal): Promise<Opened> {
    const { route, input } = this.#call
    const headers = { ...options.headers, accept: 'text/event-stream' }
    return this.#transport.open({ route, input, options: { ...options, headers, signal } }, (response, url) =>
      requireType(response, 'text/event-stream', url),
    )
  }
}

function parse(data: string, url: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new WrongServiceError(
      `What ${url} sends as an event cannot be read. It may not be a Sandglass service.`,
      {
        code: 'client.WRONG_SERVICE',
        cause,
      },
    )
  }
}

/** A shell says when it has ended. The log of events never does. */
function isLast(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'end' in event
}
