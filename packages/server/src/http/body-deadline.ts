import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Patience {
  readonly patienceMs: number
  /** For what a caller still sends after its answer, so that it gets to read that. */
  readonly lingerMs: number
}

const usual: Patience = { patienceMs: 60_000, lingerMs: 5000 }

/** A body is in within a minute. One that streams may take longer, as long as it moves within each minute. */
export function addBodyDeadline(app: FastifyInstance, patience = usual): void {
  /** Bodies that did not come with their heads; one timer looks at all of them. */
  const arriving = new Set<Arrival>()
  const watch = setInterval(() => {
    const now = Date.now()
    for (const arrival of arriving) if (arrival.isOver(now, patience)) arriving.delete(arrival)
  }, Math.min(patience.patienceMs, patience.lingerMs) / 5).unref()
  app.addHook('onClose', async () => clearInterval(watch))
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) {
      const arrival = new Arrival(request, reply)
      setImmediate(() => request.raw.complete || arriving.add(arrival))
    }
    done()
  })
}

/** One body on its way. Its time begins when it is first looked at. */
class Arrival {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  /** Kept, because a body that nobody wants to read on forgets its socket. */
  readonly #socket: Socket
  #until = 0
  #received = 0
  #answered = false

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
    this.#socket = request.raw.socket
  }

  /** Whether there is nothing left to wait for; ends what takes too long. */
  isOver(now: number, { patienceMs, lingerMs }: Patience): boolean {
    if (this.#request.raw.complete || this.#socket.destroyed) return true
    if (this.#until === 0) {
      this.#until = now + patienceMs
      this.#received = this.#socket.bytesRead
    }
    if (!this.#answered && this.#reply.raw.closed) {
      this.#answered = true
      this.#until = now + lingerMs
    }
    if (now < this.#until) return false
    this.#until = now + patienceMs
    if (!this.#answered && this.#streams()) return false
    if (this.#reply.sent) this.#socket.destroy()
    else this.#reply.send(new ApiError('request.MALFORMED', { message: 'The body did not come in time.' }))
    return false
  }

  /** Whether it is a stream, and moved since this was last asked. */
  #streams(): boolean {
    const before = this.#received
    this.#received = this.#socket.bytesRead
    return this.#received > before && this.#request.routeOptions.config.operation?.accepts !== undefined
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
