import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

/** Text is in within this; a stream may take longer, as long as it moves within each such time. */
export const bodyTimeoutMs = 60_000

interface BodyTimeouts {
  readonly timeoutMs: number
  /** For what a caller still sends after its answer, so that it gets to read that. */
  readonly lingerMs: number
}

const usual: BodyTimeouts = { timeoutMs: bodyTimeoutMs, lingerMs: 5000 }

/** Ends streams that stand still, and what nobody reads any more; read-text.ts looks after the rest. */
export function addBodyDeadline(app: FastifyInstance, { timeoutMs, lingerMs } = usual): void {
  const watch: onRequestHookHandler = (request, reply, done) => {
    watchStream(request, reply, { timeoutMs, lingerMs })
    done()
  }
  app.addHook('onRoute', route => {
    if (route.config?.operation?.accepts) route.onRequest = [watch, ...[route.onRequest ?? []].flat()]
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

/** A body that nobody wants to read on, or that was broken off, forgets its socket. */
function linger(raw: IncomingMessage, socket: Socket | null, lingerMs: number): void {
  if (socket && !raw.complete && hasBody(raw))
    setTimeout(() => raw.complete || socket.destroy(), lingerMs).unref()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
