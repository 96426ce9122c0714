import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { eventIdOf } from './event-id.ts'
import { beginning, type LogReader, type Position, type Taken } from './output-log.ts'
import type { Shell } from './shell.ts'

/** Proxies close connections without traffic, so a comment is sent at this interval. */
const heartbeatMs = 15_000
/** A client that reads nothing for this long is disconnected, so that it no longer blocks the command. */
const stalledMs = 60_000
const comment = ':\n\n'

export interface StreamOptions {
  readonly from?: Position | undefined
  /** Whether the last event says how the command ended. Published clients expect events with one key. */
  readonly includeExit?: boolean
  readonly signal: AbortSignal
}

/** Sends the output of a shell as server-sent events, from a position to its end. */
export function sendEvents(reply: FastifyReply, shell: Shell, options: StreamOptions): FastifyReply {
  const reader = shell.log.reader(options.from ?? beginning)
  const events = Readable.from(
    eventsOf(shell, reader, options, () => reply.raw.destroy()),
    { objectMode: false },
  )
  // Close the reader here, because the generator never runs if the connection closes before the first event.
  events.once('close', () => reader.close())
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      // A connection that stays open after its stream would delay the shutdown of the service.
      .header('connection', 'close')
      .header('x-sandglass-shell', shell.id)
      .send(events)
  )
}

async function* eventsOf(
  shell: Shell,
  reader: LogReader,
  { from = beginning, includeExit = false, signal }: StreamOptions,
  onStall: () => void,
): AsyncGenerator<string> {
  // Send something at once, so that the caller receives the headers, and can continue here if it loses the connection before the
  // first output.
  let text = `:\nid: ${eventIdOf(shell.id, from)}\n\n`
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
    isLast = taken?.entry.kind === 'end'
    text = taken ? textOf(shell, taken, isLast && includeExit ? exitOf(shell) : {}) : comment
  }
}

/** Returns undefined when a heartbeat is due or when the reader has disconnected. */
async function nextOf(shell: Shell, reader: LogReader, signal: AbortSignal): Promise<Taken | undefined> {
  const taken = reader.take()
  if (taken) return taken
  return (await shell.log.appended(heartbeatMs, signal)) ? reader.take() : undefined
}

/** Puts the data before the id, because some clients ignore everything after the first line of an event. */
function textOf(shell: Shell, { entry, droppedBytes }: Taken, more: object): string {
  const dropped = droppedBytes > 0 ? dataOf('dropped', Buffer.from(String(droppedBytes))) : ''
  return `${dropped && `${dropped}\n`}${dataOf(entry.kind, entry.bytes, more)}id: ${eventIdOf(shell.id, entry.after)}\n\n`
}

function dataOf(kind: string, bytes: Buffer, more: object = {}): string {
  return `data: ${JSON.stringify({ [kind]: bytes.toString('base64'), ...more })}\n`
}

function exitOf({ exitCode, hasTimedOut }: Shell) {
  return exitCode === undefined ? {} : { exitCode, ...(hasTimedOut && { timedOut: true }) }
}
