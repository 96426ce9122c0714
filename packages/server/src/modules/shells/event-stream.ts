import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { eventIdOf } from './event-id.ts'
import { beginning, type LogReader, type Position, type Taken } from './output-log.ts'
import type { Shell } from './shell.ts'

/** Silence on a connection looks like a dead one to what stands in between. */
const heartbeatMs = 15_000
/** A client that takes nothing for so long does not hold up the command any longer. */
const stalledMs = 60_000
const comment = ':\n\n'

/** Answers with a shell's output as server-sent events, from a place in it to its end. */
export function sendEvents(
  reply: FastifyReply,
  shell: Shell,
  from: Position = beginning,
  signal: AbortSignal,
): FastifyReply {
  const reader = shell.log.reader(from)
  const events = Readable.from(
    eventsOf(shell, reader, signal, () => reply.raw.destroy()),
    { objectMode: false },
  )
  // Also where the connection closed before the first event was asked for.
  events.once('close', () => reader.close())
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      // A connection that goes on after its stream would hold up a service that stops.
      .header('connection', 'close')
      .header('x-sandglass-shell', shell.id)
      .send(events)
  )
}

async function* eventsOf(
  shell: Shell,
  reader: LogReader,
  signal: AbortSignal,
  onStall: () => void,
): AsyncGenerator<string> {
  // At once, so that the caller has the head of the answer.
  let text = comment
  let isLast = false
  while (!signal.aborted) {
    const stalled = setTimeout(onStall, stalledMs)
    try {
      yield text
    } finally {
      clearTimeout(stalled)
    }
    if (isLast) return
    const taken = await nextOf(shell, reader, signal)
    text = taken ? textOf(shell, taken) : comment
    isLast = taken?.entry.kind === 'end'
  }
}

/** Undefined when it is time for a heartbeat, or nobody listens any more. */
async function nextOf(shell: Shell, reader: LogReader, signal: AbortSignal): Promise<Taken | undefined> {
  const taken = reader.take()
  if (taken) return taken
  return (await shell.log.appended(heartbeatMs, signal)) ? reader.take() : undefined
}

/** The data first, for clients that read no further into an event than they must. */
function textOf(shell: Shell, { entry, droppedBytes }: Taken): string {
  const dropped = droppedBytes > 0 ? dataOf('dropped', Buffer.from(String(droppedBytes))) : ''
  return `${dropped && `${dropped}\n`}${dataOf(entry.kind, entry.bytes)}id: ${eventIdOf(shell.id, entry.after)}\n\n`
}

function dataOf(kind: string, bytes: Buffer): string {
  return `data: ${JSON.stringify({ [kind]: bytes.toString('base64') })}\n`
}
