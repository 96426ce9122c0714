import { WebSocket } from 'ws'
import type { IncusAddress } from './address.ts'
import type { Deadline } from './deadline.ts'
import { type Endpoint, Endpoints } from './endpoints.ts'
import { reasonOf, unreachable } from './errors.ts'
import { connectMs, exchange, type HttpAnswer, type HttpRequest, NotConnected } from './exchange.ts'
import { answers, watchSilence } from './silence.ts'

const maxMessageBytes = 4 * 1024 * 1024
/** A member that is only busy for a moment must not lose a change, whose outcome nobody would know. */
const maxUnanswered = { ofReads: 1, ofChanges: 4 }

/** Carries requests and websockets to whichever member answers. */
export class Transport {
  readonly #endpoints: Endpoints

  constructor(address: IncusAddress) {
    this.#endpoints = new Endpoints(address)
  }

  /**
   * Sends a request. The next member is tried if none can have acted on it: when no connection came about, or when it
   * only reads.
   */
  async request(request: HttpRequest, deadline: Deadline, what: string): Promise<HttpAnswer> {
    let failure: unknown
    for (const endpoint of this.#endpoints.all) {
      if (deadline.signal.aborted) break
      const isRead = request.method === 'GET'
      const silence = watchSilence(endpoint, isRead ? maxUnanswered.ofReads : maxUnanswered.ofChanges)
      try {
        const answer = await exchange(endpoint, request, AbortSignal.any([deadline.signal, silence.signal]))
        this.#endpoints.prefer(endpoint)
        return answer
      } catch (error) {
        // A member that is there may have waited for another one until the deadline.
        if (silence.signal.aborted || !deadline.signal.aborted) this.#endpoints.demote(endpoint)
        failure = lost(what, endpoint, silence.signal.aborted ? silence.signal.reason : error)
        const canRepeat = error instanceof NotConnected ? isUnread(request) : isRead
        if (!canRepeat) break
      } finally {
        silence.stop()
      }
    }
    throw deadline.signal.aborted ? deadline.error(what) : failure
  }

  /**
   * Opens a websocket. `prepare` is called before it connects, so that no message is missed.
   */
  async webSocket(
    path: string,
    deadline: Deadline,
    what: string,
    prepare: (webSocket: WebSocket) => void,
  ): Promise<WebSocket> {
    let failure: unknown
    for (const endpoint of this.#endpoints.all) {
      if (deadline.signal.aborted) break
      const silence = watchSilence(endpoint, maxUnanswered.ofReads)
      try {
        const signal = AbortSignal.any([deadline.signal, silence.signal])
        const webSocket = await open(endpoint, path, signal, prepare)
        this.#endpoints.prefer(endpoint)
        return webSocket
      } catch (error) {
        if (silence.signal.aborted || !deadline.signal.aborted) this.#endpoints.demote(endpoint)
        failure = lost(what, endpoint, error)
      } finally {
        silence.stop()
      }
    }
    throw deadline.signal.aborted ? deadline.error(what) : failure
  }

  /** Whether the member at a URL is there. Over a socket no other member can be asked, and none is said to be there. */
  async isThere(url: string, deadlineMs: number): Promise<boolean> {
    const endpoint = this.#endpoints.at(url)
    return endpoint !== undefined && (await answers(endpoint, AbortSignal.timeout(deadlineMs)))
  }

  close(): void {
    this.#endpoints.close()
  }
}

const lost = (what: string, { name }: Endpoint, error: unknown) =>
  unreachable(`${what}: Incus at ${name} cannot be reached (${reasonOf(error)}).`, error)

/** Whether nothing of a streamed body is gone yet. */
const isUnread = ({ body }: HttpRequest) =>
  body === undefined || typeof body === 'string' || !(body.readableDidRead || body.destroyed)

function open(
  { url, agent }: Endpoint,
  path: string,
  signal: AbortSignal,
  prepare: (webSocket: WebSocket) => void,
): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const target = new URL(path, url)
  target.protocol = target.protocol.replace('http', 'ws')
  const webSocket = new WebSocket(target, {
    agent,
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: maxMessageBytes,
    handshakeTimeout: connectMs + 3_000,
  })
  const abort = () => webSocket.terminate()
  signal.addEventListener('abort', abort, { once: true })
  webSocket.once('open', () => {
    signal.removeEventListener('abort', abort)
    resolve(webSocket)
  })
  webSocket.on('error', reject)
  webSocket.once('close', () => signal.removeEventListener('abort', abort))
  prepare(webSocket)
  return promise
}
