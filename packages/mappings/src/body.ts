import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** A client whose request nobody reads any more has so long to notice the answer. */
const lingerMs = 10_000

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * The body of a request, as a stream of its own: a guest that stops reading ends that, and not the connection on which
 * its answer goes back. What the client still sends then is thrown away.
 */
export function bodyOf(request: IncomingMessage, onData: () => void): PassThrough {
  const body = new PassThrough()
  // It is told of by its end; nobody may be listening yet, or any more.
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
