import { Readable } from 'node:stream'
import type { LoggedEvent } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'
import type { Followed } from '../../events/follow.ts'
import { logStart } from '../../events/position.ts'

/** Sends what a follower yields as server-sent events, no faster than the caller reads them. */
export function sendStream(
  reply: FastifyReply,
  after: string,
  followed: AsyncIterable<Followed>,
  onEnd: () => void,
): FastifyReply {
  const events = Readable.from(texts(after, followed), { objectMode: false })
  events.once('close', onEnd)
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      // A connection that stays open after its stream would delay the shutdown of the service.
      .header('connection', 'close')
      .send(events)
  )
}

async function* texts(after: string, followed: AsyncIterable<Followed>): AsyncGenerator<string> {
  // Send something at once, so that the caller receives the headers, and misses nothing if it loses the connection right after them.
  yield after === logStart ? ': here\n\n' : `: here\nid: ${after}\n\n`
  for await (const { events, end } of followed)
    yield events.length > 0 ? events.map(textOf).join('') : heartbeat(end)
}

/** The texts of events that several streams send. */
const known = new WeakMap<LoggedEvent, string>()

function textOf(event: LoggedEvent): string {
  const text = known.get(event) ?? `data: ${JSON.stringify(event)}\nid: ${event.id}\n\n`
  known.set(event, text)
  return text
}

/**
 * A message without data, which clients do not show. They remember its id and continue there when they connect again, also if
 * nothing that they follow has happened for longer than events are kept.
 */
function heartbeat(end: string): string {
  return `: still here\nid: ${end}\n\n`
}
