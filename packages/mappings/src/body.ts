import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** How long a client may keep sending a request body that is no longer read before its connection is closed. */
const lingerMs = 10_000

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Returns the body of a request as a separate stream, so that a guest that stops reading ends this stream and not the
 * connection that carries its response. Whatever the client still sends after that is discarded.
 */
export function bodyOf(request: IncomingMessage, onData: () => void): PassThrough {
  const body = new PassThrough()
  // Callers learn about errors from the stream's end; without a listener an error would crash the process.
  body.on('error', () => {})
  request.on('data', onData).pipe(body)
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the client went away'))
  })
  body.once('close', () => {
    if (request.complete || request.destroyed) return
    request.resume()
    const late = setTimeout(() => request.destroy(), lingerMs)
    request.once('close', () => clearTimeout(late))
  })
  return body
}
