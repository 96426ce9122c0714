import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'

/** An import of node:http would load all of `fetch`, because it looks at everything that the module has. */
const require = createRequire(import.meta.url)

/** What a short command does takes less time than loading Node's own `fetch`, so this one has only what the client uses. */
export const lightFetch: typeof fetch = async (input, init = {}) => {
  const { body, method, headers, signal } = init
  if (typeof input !== 'string' || !isSimple(body)) return fetch(input, init)
  const { request }: typeof import('node:http') = require(
    input.startsWith('https:') ? 'node:https' : 'node:http',
  )
  const options = { method, headers: { ...headers, ...lengthOf(body) }, signal: signal ?? undefined }
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(input, options)
      .once('response', resolve)
      // As fetch does, whose errors the client knows.
      .once('error', (cause: Error) =>
        reject(signal?.aborted ? cause : new TypeError('fetch failed', { cause })),
      )
      .end(body),
  )
  return responseOf(answer)
}

function isSimple(body: unknown): body is string | Uint8Array | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array
}

/** Without a length, Node would send the body in chunks. */
function lengthOf(body: string | Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = answer
  const get = (name: string) => [headers[name.toLowerCase()] ?? null].flat().join(', ') || null
  const response = {
    ok: status >= 200 && status < 300,
    status,
    type: 'basic',
    headers: { get, has: (name: string) => get(name) !== null },
    text: () => text(answer),
    json: async () => JSON.parse(await text(answer)),
    arrayBuffer: async () => (await buffer(answer)).buffer,
    get body() {
      return get('content-type')?.startsWith('text/event-stream') ? eventBody(answer) : Readable.toWeb(answer)
    },
  }
  return response as unknown as Response
}

/** The part of a stream that the client reads events with. Loading all streams of the web takes longer than a short command. */
function eventBody(answer: IncomingMessage) {
  return {
    getReader: () => {
      const chunks = answer[Symbol.asyncIterator]()
      return { read: () => chunks.next(), cancel: async () => void answer.destroy() }
    },
  }
}
