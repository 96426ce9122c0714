import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'

interface Patience {
  readonly patienceMs: number
  /** For what a caller still sends after its answer, so that it gets to read that. */
  readonly lingerMs: number
}

const usual: Patience = { patienceMs: 60_000, lingerMs: 5000 }

/** A body is in within a minute. One that streams may take longer, as long as it moves within each minute. */
export function addBodyDeadline(app: FastifyInstance, { patienceMs, lingerMs } = usual): void {
  app.addHook('onRequest', (request, reply, done) => {
    done()
    const { raw } = request
    if (!hasBody(raw)) return
    // Kept, because a body that nobody wants to read on forgets its socket.
    const { socket } = raw
    let received = socket.bytesRead
    const watch = setInterval(() => {
      const moves = socket.bytesRead > received
      received = socket.bytesRead
      if (raw.complete) clearInterval(watch)
      else if (moves && request.routeOptions.config.operation?.accepts) return
      else if (reply.sent) socket.destroy()
      else reply.send(new ApiError('request.MALFORMED', { message: 'The body did not come in time.' }))
    }, patienceMs).unref()
    const rest = () => {
      clearInterval(watch)
      if (raw.complete || socket.destroyed) return
      setTimeout(() => raw.complete || socket.destroy(), lingerMs).unref()
    }
    reply.raw.once('close', rest)
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
