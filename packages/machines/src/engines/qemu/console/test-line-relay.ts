import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { createInterface, type Interface } from 'node:readline'

interface Waiting {
  readonly from: Socket
  readonly id: unknown
}

/** Passes the requests of any number of connections on to one, as the engine does for QMP and for the guest agent. */
export class LineRelay {
  readonly #server: Server
  readonly #upstream: Socket
  readonly #clients = new Set<Socket>()
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  private constructor(upstream: Socket, allowed: ReadonlySet<string> | undefined) {
    this.#upstream = upstream
    this.#server = createServer(client => this.#serve(client, allowed))
    linesOf(upstream).on('line', line => this.#onAnswer(JSON.parse(line)))
    upstream.on('error', () => {}).on('close', () => this.close())
  }

  /** `begin` is sent first, and its answer is awaited. */
  static async listen(
    path: string,
    target: string,
    { begin, allowed }: { begin?: string; allowed?: ReadonlySet<string> } = {},
  ): Promise<LineRelay> {
    const upstream = createConnection(target)
    await new Promise((resolve, reject) => upstream.once('connect', resolve).once('error', reject))
    const relay = new LineRelay(upstream, allowed)
    if (begin) relay.send(begin)
    await new Promise<void>(resolve => relay.#server.listen(path, resolve))
    return relay
  }

  /** Sends a request of its own, whose answer nobody waits for. */
  send(execute: string): void {
    this.#upstream.write(`${JSON.stringify({ execute })}\n`)
  }

  close(): void {
    this.#server.close()
    this.#upstream.destroy()
    for (const client of this.#clients) client.destroy()
  }

  #serve(client: Socket, allowed: ReadonlySet<string> | undefined): void {
    this.#clients.add(client)
    client.on('error', () => {}).on('close', () => this.#clients.delete(client))
    linesOf(client).on('line', line => {
      const { id, ...request } = JSON.parse(line)
      if (allowed && !allowed.has(request.execute))
        return client.write(
          `${JSON.stringify({ id, error: { class: 'GenericError', desc: 'not allowed' } })}\n`,
        )
      this.#waiting.set(++this.#lastId, { from: client, id })
      this.#upstream.write(`${JSON.stringify({ ...request, id: this.#lastId })}\n`)
      return undefined
    })
  }

  /** Events and the greeting belong to no request. */
  #onAnswer({ id: number, ...answer }: { id?: number }): void {
    const waiting = this.#waiting.get(number ?? 0)
    this.#waiting.delete(number ?? 0)
    if (waiting && !waiting.from.destroyed)
      waiting.from.write(`${JSON.stringify({ ...answer, id: waiting.id })}\n`)
  }
}

function linesOf(input: Socket): Interface {
  return createInterface({ input }).on('error', () => {})
}
