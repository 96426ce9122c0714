import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** Frequent enough for proxies, which close silent connections. */
const heartbeatMs = 15_000

/** Sends server-sent events with backpressure, no faster than the caller reads them. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<unknown>): FastifyReply {
  return sendEventText(reply, lines(events))
}

/** Like {@link sendEvents}, for events that are already serialised. */
export function sendEventText(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  const stream = new PassThrough()
  const heartbeat = setInterval(() => {
    if (stream.writable && stream.writableLength === 0) stream.write(': still here\n\n')
  }, heartbeatMs)
  // A failure needs no handling here, because the caller sees the end of the stream in either case.
  pipeline(withComment(text), stream).then(
    () => clearInterval(heartbeat),
    () => clearInterval(heartbeat),
  )
  return reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(stream)
}

/** Starts with a comment, so that the response headers are sent at once. */
async function* withComment(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield ': here\n\n'
  yield* text
}

async function* lines(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `data: ${JSON.stringify(event)}\n\n`
}
