import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

/** The timeout for a whole text body. A stream may take longer, if data arrives within each period of this length. */
export const bodyTimeoutMs = 60_000

interface BodyTimeouts {
  readonly timeoutMs: number
  /** How long the body is still accepted after the answer, so that the caller gets to read the answer. */
  readonly lingerMs: number
}

const defaults: BodyTimeouts = { timeoutMs: bodyTimeoutMs, lingerMs: 5000 }

/** Ends streams that stall, and bodies that nobody reads any more. The timeout of text bodies is in read-text.ts. */
export function addBodyDeadline(app: FastifyInstance, { timeoutMs, lingerMs } = defaults): void {
  const watch: onRequestHookHandler = (request, reply, done) => {
    watchStream(request, reply, { timeoutMs, lingerMs })
    done()
  }
  app.addHook('onRoute', route => {
    if (route.config?.operation?.accepts || route.config?.streamsBody)
      route.onRequest = [watch, ...[route.onRequest ?? []].flat()]
  })
  app.answers.onAnswer(({ raw }) => linger(raw, raw.socket, lingerMs))
}

function watchStream(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { timeoutMs, lingerMs }: BodyTimeouts,
): void {
  const { socket } = raw
  let received = socket.bytesRead
  const timer = setInterval(() => {
    const before = received
    received = socket.bytesRead
    if (raw.complete || socket.destroyed) clearInterval(timer)
    else if (received === before) {
      if (reply.sent) socket.destroy()
      else reply.send(new ApiError('request.MALFORMED', { message: 'The body did not arrive in time.' }))
    }
  }, timeoutMs)
  reply.raw.once('close', () => {
    clearInterval(timer)
    linger(raw, socket, lingerMs)
  })
}

/** A body that was abandoned or aborted no longer refers to its socket, so the socket is passed in. */
function linger(raw: IncomingMessage, socket: Socket | null, lingerMs: number): void {
  if (socket && !raw.complete && hasBody(raw))
    setTimeout(() => raw.complete || socket.destroy(), lingerMs).unref()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
