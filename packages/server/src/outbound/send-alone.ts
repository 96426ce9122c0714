import { request as begin, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import type { buildConnector } from 'undici'
import { failed } from './failures.ts'

/** What writes itself to a sink, and uses a buffer again once the sink has called back for it. */
export interface Sendable {
  sendTo(sink: Writable): Promise<void>
}

export interface Sending {
  readonly method: 'PUT' | 'POST'
  readonly headers: Record<string, string>
  readonly content: Sendable
  /** What goes before the content, and after it. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
  readonly signal: AbortSignal
}

export interface Limits {
  /** The longest time without a byte either way. */
  readonly idleTimeoutMs: number
  readonly maxHeaderBytes: number
}

/**
 * Uploads over a connection of its own, by Node's client: that tells when it has done with a buffer, as undici does not,
 * and new buffers for each piece of a large file cost more than all the rest. What the content fails with is thrown as it is.
 */
export async function sendAlone(
  connect: buildConnector.connector,
  url: URL,
  { content, head, tail, ...sending }: Sending,
  { idleTimeoutMs, maxHeaderBytes }: Limits,
): Promise<IncomingMessage> {
  const socket = await dial(connect, url)
  // The request tells of it, once it has the socket.
  socket.on('error', () => {})
  const request = begin({
    ...sending,
    path: url.pathname + url.search,
    maxHeaderSize: maxHeaderBytes,
    createConnection: () => socket,
    headers: { host: url.host, connection: 'close', ...sending.headers },
  })
  request.setTimeout(idleTimeoutMs, () => request.destroy(late()))
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject)
  })
  const send = async () => {
    if (head) request.write(head)
    await content.sendTo(request)
    request.end(tail)
  }
  try {
    // An answer before the end is the last word: who gave it reads no further.
    await Promise.race([answered, send()])
    return await answered
  } catch (error) {
    if (!socket.destroyed) throw error
    return await answered.catch(cause => {
      throw failed(url, cause)
    })
  } finally {
    request.destroy()
  }
}

async function dial(connect: buildConnector.connector, url: URL): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const { hostname, host, protocol, port } = url
  connect({ hostname, host, protocol, port }, (error, socket) => (error ? reject(error) : resolve(socket)))
  try {
    return await promise
  } catch (error) {
    throw error instanceof ApiError ? error : failed(url, error)
  }
}

const late = () => Object.assign(new Error('nothing moved'), { code: 'ETIMEDOUT' })
