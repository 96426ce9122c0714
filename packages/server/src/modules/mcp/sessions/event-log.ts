import { randomUUID } from 'node:crypto'
import {
  type EventStore,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { rejectOnAbort } from '../reject-on-abort.ts'

/** How long the events of a finished stream are kept. */
const keptMs = 300_000
/** Pictures are large, so the oldest finished streams are evicted above this size. */
const maxBytes = 64 * 1024 * 1024

/** A position in a stream of events, as it is encoded in Last-Event-ID. */
export interface EventPosition {
  readonly nodeId: string
  readonly streamId: string
  readonly index: number
}

/** The events of one response, both those already sent and those still to come. */
export class EventStream implements EventStore {
  readonly id = randomUUID()
  readonly sessionId: string
  readonly #nodeId: string
  readonly #events: JSONRPCMessage[] = []
  /** The requests that have no response yet. */
  readonly #unanswered: Set<RequestId>
  #wake = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  bytes = 0

  constructor(nodeId: string, sessionId: string, requests: readonly RequestId[]) {
    this.#nodeId = nodeId
    this.sessionId = sessionId
    this.#unanswered = new Set(requests)
  }

  get isOver(): boolean {
    return this.#unanswered.size === 0
  }

  /** Resolves when every request has its response, or when the stream was cancelled. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  async storeEvent(_streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#events.push(message)
    this.bytes += approximateSize(message)
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#unanswered.delete(message.id)
    this.#wakeReaders()
    return eventIdOf({ nodeId: this.#nodeId, streamId: this.id, index: this.#events.length - 1 })
  }

  /** Stops waiting for the response to a cancelled request, because there will be none. */
  cancelRequest(requestId: RequestId): void {
    this.#unanswered.delete(requestId)
    this.#wakeReaders()
  }

  /** Ends the stream without the missing responses. */
  cancel(): void {
    this.#unanswered.clear()
    this.#wakeReaders()
  }

  /**
   * The library does not call this: a client that reconnects reads from `after`, even while the response is incomplete.
   */
  async replayEventsAfter(): Promise<string> {
    throw new Error('events are replayed by their stream')
  }

  /** Yields the events after an index, and every later one as it arrives, as server-sent events. */
  async *after(index: number, signal: AbortSignal): AsyncGenerator<string> {
    const gone = rejectOnAbort(signal).catch(() => {})
    for (let at = index + 1; ; at++) {
      while (at >= this.#events.length) {
        if (this.isOver || signal.aborted) return
        await Promise.race([this.#wake.promise, gone])
      }
      const id = eventIdOf({ nodeId: this.#nodeId, streamId: this.id, index: at })
      yield `event: message\nid: ${id}\ndata: ${JSON.stringify(this.#events[at])}\n\n`
    }
  }

  #wakeReaders(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
    if (this.isOver) this.#ended.resolve()
  }
}

/** Keeps recent and running responses of this process for clients that lose their connection and come back. */
export class EventLog {
  readonly #nodeId: string
  readonly #streams = new Map<string, EventStream>()

  constructor(nodeId: string) {
    this.#nodeId = nodeId
  }

  open(sessionId: string, requests: readonly RequestId[]): EventStream {
    const stream = new EventStream(this.#nodeId, sessionId, requests)
    this.#streams.set(stream.id, stream)
    void stream.ended.then(() => {
      setTimeout(() => this.#streams.delete(stream.id), keptMs).unref()
      this.#evict()
    })
    return stream
  }

  find({ streamId }: EventPosition, sessionId: string): EventStream | undefined {
    const stream = this.#streams.get(streamId)
    return stream?.sessionId === sessionId ? stream : undefined
  }

  #evict(): void {
    let bytes = 0
    for (const stream of this.#streams.values()) bytes += stream.bytes
    for (const stream of this.#streams.values()) {
      if (bytes <= maxBytes) return
      if (!stream.isOver) continue
      this.#streams.delete(stream.id)
      bytes -= stream.bytes
    }
  }
}

const Contents = z.object({
  result: z.object({
    content: z.array(z.object({ data: z.string().optional(), text: z.string().optional() })),
  }),
})

/** Estimates the size of a message by the content of its result, since pictures take up nearly all of it. */
function approximateSize(message: JSONRPCMessage): number {
  const contents = Contents.safeParse(message).data?.result.content ?? []
  return contents.reduce((sum, { data = '', text = '' }) => sum + data.length + text.length, 500)
}

function eventIdOf({ nodeId, streamId, index }: EventPosition): string {
  return `${index}_${streamId}_${nodeId}`
}

export function positionOf(eventId: string): EventPosition | undefined {
  const [, index, streamId, nodeId] = /^(\d{1,9})_([\w-]+?)_(.+)$/.exec(eventId) ?? []
  if (index === undefined || streamId === undefined || nodeId === undefined) return undefined
  return { nodeId, streamId, index: Number(index) }
}
