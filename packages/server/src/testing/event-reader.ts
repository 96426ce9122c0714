import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { LoggedEvent } from '@sandglass/protocol'
import { cleanup } from './cleanup.ts'

export interface ReaderRequest {
  readonly key: string
  readonly lastEventId?: string | undefined
}

/** A client of a stream of events. It remembers the last id as a browser does. */
export class EventReader {
  /** What to send as Last-Event-ID to continue. */
  lastEventId: string | undefined
  readonly #abort: AbortController
  readonly #events: AsyncGenerator<LoggedEvent>

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort
    this.#events = this.#read(response)
    cleanup.defer(() => this.close())
  }

  static async open(url: string, { key, lastEventId }: ReaderRequest): Promise<EventReader> {
    const abort = new AbortController()
    const response = await fetch(url, {
      headers: {
        'x-api-key': key,
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal: abort.signal,
    })
    assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    return new EventReader(response, abort)
  }

  async next(): Promise<LoggedEvent> {
    const { value, done } = await this.#events.next()
    assert.ok(!done, 'the stream has ended')
    return value
  }

  async take(count: number): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = []
    while (events.length < count) events.push(await this.next())
    return events
  }

  /** Reads up to and including the first event for which this is true. */
  async until(isLast: (event: LoggedEvent) => boolean): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = []
    for (;;) {
      const event = await this.next()
      events.push(event)
      if (isLast(event)) return events
    }
  }

  /** Reads until the connection ends, in whatever way. */
  async end(): Promise<void> {
    try {
      for await (const _ of this.#events);
    } catch {}
  }

  close(): void {
    this.#abort.abort()
  }

  async *#read(response: Response): AsyncGenerator<LoggedEvent> {
    assert.ok(response.body)
    let data: string | undefined
    for await (const line of createInterface(Readable.fromWeb(response.body))) {
      if (line.startsWith('data: ')) data = line.slice('data: '.length)
      else if (line.startsWith('id: ')) this.lastEventId = line.slice('id: '.length)
      else if (line === '' && data !== undefined) {
        const event = LoggedEvent.parse(JSON.parse(data))
        assert.equal(this.lastEventId, event.id)
        yield event
        data = undefined
      } else assert.match(line, /^(:.*)?$/)
    }
  }
}
