import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { TestService } from './test-service.ts'

export interface ShellEvent {
  readonly kind: string
  readonly bytes: Buffer
  readonly id: string
}

export interface EventRequest {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  readonly lastEventId?: string
}

/** A client of a shell's event stream, which parses it line by line as published clients do. */
export class ShellEvents {
  readonly shellId: string
  readonly #abort: AbortController
  readonly #events: AsyncGenerator<ShellEvent>

  private constructor(response: Response, abort: AbortController) {
    this.shellId = response.headers.get('x-sandglass-shell') ?? ''
    this.#abort = abort
    this.#events = eventsOf(response)
  }

  static async open(service: TestService, path: string, request: EventRequest = {}): Promise<ShellEvents> {
    const abort = new AbortController()
    const { body, lastEventId, method = 'POST' } = request
    const response = await fetch(service.service.url + service.expand(path), {
      method,
      headers: {
        'x-api-key': service.service.credentials.apiKey,
        ...(body && { 'content-type': 'application/json' }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: abort.signal,
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    return new ShellEvents(response, abort)
  }

  async next(): Promise<ShellEvent> {
    const { value, done } = await this.#events.next()
    assert.ok(!done, 'the stream has ended')
    return value
  }

  /** Reads stdout until it contains this text, and returns what was read. */
  async until(text: string): Promise<string> {
    let seen = ''
    while (!seen.includes(text)) {
      const { kind, bytes } = await this.next()
      assert.ok(
        kind === 'stdout',
        `${kind} came before ${JSON.stringify(text)}, after ${JSON.stringify(seen)}`,
      )
      seen += bytes
    }
    return seen
  }

  async rest(): Promise<ShellEvent[]> {
    const events: ShellEvent[] = []
    for await (const event of this.#events) events.push(event)
    return events
  }

  close(): void {
    this.#abort.abort()
  }
}

/** Concatenates the data of the events of each kind, ordered by the first event of each kind. */
export function byKind(events: readonly ShellEvent[]): Record<string, string> {
  const groups = Object.entries(Object.groupBy(events, ({ kind }) => kind))
  return Object.fromEntries(
    groups.map(([kind, some = []]) => [kind, Buffer.concat(some.map(({ bytes }) => bytes)).toString()]),
  )
}

async function* eventsOf(response: Response): AsyncGenerator<ShellEvent> {
  assert.ok(response.body)
  let data: Record<string, string> | undefined
  let id = ''
  for await (const line of createInterface(Readable.fromWeb(response.body))) {
    if (line.startsWith('data: ')) data = JSON.parse(line.slice('data: '.length))
    else if (line.startsWith('id: ')) id = line.slice('id: '.length)
    else if (line === '' && data) {
      const [[kind, base64], ...others] = Object.entries(data) as [[string, string], ...unknown[]]
      assert.equal(others.length, 0)
      yield { kind, bytes: Buffer.from(base64, 'base64'), id }
      data = undefined
    } else assert.match(line, /^(:.*)?$/)
  }
}
