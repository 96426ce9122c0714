import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Recorded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Starts a server that answers at once, in a thread of its own: with what a service has answered to the first request of the same
 * method and path. It shows how long a client takes by itself.
 */
export async function startReplay(
  service: string,
): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: service })
  const [url] = await once(worker, 'message')
  return { url, stop: () => worker.terminate() }
}

if (!isMainThread && parentPort) {
  const recorded = new Map<string, Recorded>()
  const server = createServer((request, response) => {
    // The client sees that the connection ends.
    answer(recorded, request, response).catch(error => response.destroy(error))
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    parentPort?.postMessage(`http://127.0.0.1:${port}`)
  })
}

async function answer(
  recorded: Map<string, Recorded>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request)
  const { pathname, href } = new URL(request.url ?? '/', workerData)
  const name = `${request.method} ${pathname}`
  const known = recorded.get(name) ?? (await ask(href, request, body))
  recorded.set(name, known)
  response.writeHead(known.status, known.headers).end(known.body)
}

/** What belongs to one connection, and not to the request or its answer. */
const ofConnection = new Set(['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

const passedOn = (headers: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name)))

async function ask(
  url: string,
  { method = 'GET', headers }: IncomingMessage,
  body: Buffer,
): Promise<Recorded> {
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  const answered = await fetch(url, {
    method,
    headers: passedOn(sent),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
  const content = Buffer.from(await answered.arrayBuffer())
  return { status: answered.status, headers: passedOn(answered.headers), body: content }
}
