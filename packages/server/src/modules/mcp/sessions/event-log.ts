import { randomUUID } from 'node:crypto'
import {
  type EventStore,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { firing } from '../firing.ts'

/** What was sent is kept for so long after the last of it. */
const keptMs = 300_000
/** Pictures are large; the oldest streams that have ended make room. */
const maxBytes = 64 * 1024 * 1024

/** A place in a stream of events, as it stands in Last-Event-ID. */
export interface EventPlace {
  readonly nodeId: string
  readonly streamId: string
  readonly index: number
}

/** The events of one answer: what was sent of it, and what is still to come. */
export class EventStream implements EventStore {
  readonly id = randomUUID()
  readonly sessionId: string
  readonly #nodeId: string
  readonly #events: JSONRPCMessage[] = []
  /** The requests that are still to be answered. */
  readonly #open: Set<RequestId>
  #wake = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  bytes = 0

  constructor(nodeId: string, sessionId: string, requests: readonly RequestId[]) {
    this.#nodeId = nodeId
    this.sessionId = sessionId
    this.#open = new Set(requests)
  }

  get isOver(): boolean {
    return this.#open.size === 0
  }

  /** Settles when the last answer is there, or the stream was broken off. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  async storeEvent(_streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#events.push(message)
    this.bytes += weightOf(message)
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#open.delete(message.id)
    this.#stir()
    return placeId({ nodeId: this.#nodeId, streamId: this.id, index: this.#events.length - 1 })
  }

  /** A request that was cancelled is not answered. */
  giveUp(requestId: RequestId): void {
    this.#open.delete(requestId)
    this.#stir()
  }

  /** Nothing more comes. */
  breakOff(): void {
    this.#open.clear()
    this.#stir()
  }

  /** Never asked: a client that comes back is answered from `after`, also while the answer is still being made. */
  async replayEventsAfter(): Promise<string> {
    throw new Error('events are replayed by their stream')
  }

  /** What came after an event, and what still comes, as server-sent events. */
  async *after(index: number, signal: AbortSignal): AsyncGenerator<string> {
    const gone = firing(signal).catch(() => {})
    for (let at = index + 1; ; at++) {
      while (at >= this.#events.length) {
        if (this.isOver || signal.aborted) return
        await Promise.race([this.#wake.promise, gone])
      }
      const id = placeId({ nodeId: this.#nodeId, streamId: this.id, index: at })
      yield `event: message\nid: ${id}\ndata: ${JSON.stringify(this.#events[at])}\n\n`
    }
  }

  #stir(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
    if (this.isOver) this.#ended.resolve()
  }
}

/** The answers that this process gives or gave of late, for clients that lost the connection meanwhile. */
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
      this.#makeRoom()
    })
    return stream
  }

  find({ streamId }: EventPlace, sessionId: string): EventStream | undefined {
    const stream = this.#streams.get(streamId)
    return stream?.sessionId === sessionId ? stream : undefined
  }

  #makeRoom(): void {
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

/** About as many bytes as it takes: what counts is the content of results, and pictures above all. */
function weightOf(message: JSONRPCMessage): number {
  const contents = Contents.safeParse(message).data?.result.content ?? []
  return contents.reduce((sum, { data = '', text = '' }) => sum + data.length + text.length, 500)
}

function placeId({ nodeId, streamId, index }: EventPlace): string {
  return `${index}_${streamId}_${nodeId}`
}

export function placeOf(eventId: string): EventPlace | undefined {
  const [, index, streamId, nodeId] = /^(\d{1,9})_([\w-]+?)_(.+)$/.exec(eventId) ?? []
  if (index === undefined || streamId === undefined || nodeId === undefined) return undefined
  return { nodeId, streamId, index: Number(index) }
}
