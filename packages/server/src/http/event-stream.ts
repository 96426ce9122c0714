import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** Often enough for proxies, which close what is silent. */
const heartbeatMs = 15_000

/** Answers with server-sent events, no faster than the caller takes them. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<unknown>): FastifyReply {
  return sendEventText(reply, lines(events))
}

/** The same for events that are written out already. */
export function sendEventText(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  const stream = new PassThrough()
  const heart = setInterval(() => {
    if (stream.writable && stream.writableLength === 0) stream.write(': still here\n\n')
  }, heartbeatMs)
  // Its end, whichever it was, shows to the caller as the end of the stream.
  pipeline(led(text), stream).then(
    () => clearInterval(heart),
    () => clearInterval(heart),
  )
  return reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(stream)
}

/** A comment leads, so that the head of the answer is sent at once. */
async function* led(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield ': here\n\n'
  yield* text
}

async function* lines(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `data: ${JSON.stringify(event)}\n\n`
}
