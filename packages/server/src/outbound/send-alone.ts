import { request as begin, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import type { buildConnector } from 'undici'
import { failed } from './failures.ts'

/** Content that writes itself to a sink. It reuses a buffer once the sink has called back for it. */
export interface Sendable {
  sendTo(sink: Writable): Promise<void>
}

export interface Sending {
  readonly method: 'PUT' | 'POST'
  readonly headers: Record<string, string>
  readonly content: Sendable
  /** The bytes before the content, and after it. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
  readonly signal: AbortSignal
}

export interface Limits {
  /** The maximum time without a byte in either direction. */
  readonly idleTimeoutMs: number
  readonly maxHeaderBytes: number
}

/**
 * Uploads over a separate connection with Node's client. Unlike undici, that client reports when it has finished with
 * a buffer, and allocating a buffer for each piece of a large file would cost more than everything else. An error of
 * the content is thrown unchanged.
 */
export async function sendAlone(
  connect: buildConnector.connector,
  url: URL,
  { content, head, tail, ...sending }: Sending,
  { idleTimeoutMs, maxHeaderBytes }: Limits,
): Promise<IncomingMessage> {
  const socket = await dial(connect, url)
  // Ignore the error here, because the request reports it once it has the socket.
  socket.on('error', () => {})
  const request = begin({
    ...sending,
    path: url.pathname + url.search,
    maxHeaderSize: maxHeaderBytes,
    createConnection: () => socket,
    headers: { host: url.host, connection: 'close', ...sending.headers },
  })
  request.setTimeout(idleTimeoutMs, () => request.destroy(timeoutError()))
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject)
  })
  const send = async () => {
    if (head) request.write(head)
    await content.sendTo(request)
    request.end(tail)
  }
  try {
    // An answer that arrives before the end of the upload is final, because its sender reads no further.
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

const timeoutError = () => Object.assign(new Error('nothing moved'), { code: 'ETIMEDOUT' })
