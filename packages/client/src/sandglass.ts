import { Bytes } from './bytes.ts'
import type { CallOptions } from './call-options.ts'
import type { Credentials } from './credentials.ts'
import { InvalidRequestError } from './errors.ts'
import { EventStream } from './event-stream.ts'
import type { CallableId, EventFrom, EventId, Input, Methods, OperationId } from './operations.ts'
import type { SandglassOptions } from './options.ts'
import { type ItemOf, type ListId, listPages } from './pages.ts'
import { readJson, requireType } from './read-answer.ts'
import { type Route, routes } from './routes.ts'
import { type AnyInput, type Call, Transport } from './transport.ts'

/** What a client has besides its operations. */
class Client {
  /** Makes requests as this client does, for addresses that operations answer with. No credential is added. */
  readonly fetch: typeof fetch
  readonly #transport: Transport

  constructor(options: SandglassOptions = {}) {
    this.#transport = new Transport(options)
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init))
  }

  /** Which service this client calls, and as whom. */
  credentials(): Promise<Credentials> {
    return this.#transport.credentials()
  }

  /** Calls an operation by its id. */
  call(id: OperationId, input: AnyInput = {}, options: CallOptions = {}): unknown {
    const route = routeOf(id)
    const call = { route, input, options }
    if (route.answers === 'socket') throw noCall(`${id} opens a connection, and cannot be called.`)
    if (route.answers === 'events') return new EventStream(this.#transport, call)
    return route.answers === 'bytes' ? this.#bytes(call) : this.#transport.call(call, readJson)
  }

  /** Follows an operation that can answer with events, also if it answers with a page otherwise. */
  stream<Id extends EventId>(
    id: Id,
    input?: Input<Id>,
    options: CallOptions = {},
  ): EventStream<EventFrom<Id>> {
    return new EventStream(this.#transport, { route: routeOf(id), input: { ...input }, options })
  }

  /**
   * Lists everything, page by page, as it is read.
   *
   * @example
   * for await (const sandbox of client.all('listSandboxes')) console.log(sandbox.id)
   */
  all<Id extends ListId>(id: Id, input?: Input<Id>, options: CallOptions = {}): AsyncGenerator<ItemOf<Id>> {
    const route = routeOf(id)
    const fetchPage = (page: AnyInput) =>
      this.#transport.call({ route, input: page, options }, async (response, url) => ({
        body: await readJson(response, url),
        cursor: response.headers.get('x-next-cursor'),
      }))
    return listPages(fetchPage, { ...input })
  }

  async #bytes(call: Call): Promise<Bytes> {
    const isBytes = (response: Response, url: string) => requireType(response, call.route.mediaType, url)
    return new Bytes(await this.#transport.open(call, isBytes))
  }
}

function routeOf(id: OperationId): Route {
  if (!Object.hasOwn(routes, id)) throw noCall(`There is no operation ${id}.`)
  return routes[id]
}

function noCall(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'client.INVALID_INPUT' })
}

for (const id of Object.keys(routes) as CallableId[])
  Object.defineProperty(Client.prototype, id, {
    value(this: Client, input?: AnyInput, options?: CallOptions) {
      return this.call(id, input, options)
    },
  })

/**
 * A client of a service, with one method per operation.
 *
 * @example
 * const client = new Sandglass()
 * const sandbox = await client.createSandbox({ body: { shapeName: 'small' } })
 * await client.deleteSandbox({ sandboxId: sandbox.id })
 */
export type Sandglass = Client & Methods
export const Sandglass = Client as new (options?: SandglassOptions) => Sandglass
