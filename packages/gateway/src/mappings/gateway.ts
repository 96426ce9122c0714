import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Machine } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { admit } from './admission.ts'
import { allowHeader, answerError, enter } from './answers.ts'
import type { Client, Clients } from './client.ts'
import { faultOf } from './faults.ts'
import { toClient, toGuest } from './headers.ts'
import { MappedRelay } from './mapped-relay.ts'
import type { MappingNames } from './names.ts'
import { type Limits, OpenExchanges } from './open-exchanges.ts'
import type { Way } from './relay.ts'
import type { MappingTokens } from './tokens.ts'
import { Upstreams } from './upstreams.ts'

/** How a request reaches what a mapping leads to. */
export type Route = Pick<Way, 'upstream' | 'url' | 'headers' | 'toClient' | 'faultOf'>

/** Where a mapping leads: into a machine of this process, or on to the process that has the machine. */
export type Destination =
  | { readonly machine: Machine; readonly target: string; readonly onUse: () => void }
  /** `route` throws an ApiError where the request must not go on, as one that was forwarded already. */
  | { readonly route: (request: IncomingMessage) => Route }

export interface GatewayParts {
  readonly names: MappingNames
  readonly tokens: MappingTokens
  readonly clients: Clients
  readonly limits: Limits
  /** Where the mapping of this id leads; an ApiError says why it leads nowhere. */
  readonly find: (id: string) => Destination | Promise<Destination>
  /** A request is over: its answer's status, 101 for an upgraded connection, 0 where there was none. */
  readonly onEnd: (status: number) => void
  /** An error that is no ApiError. */
  readonly onFault: (error: unknown) => void
}

/** A request that was let in. */
interface Asked {
  readonly id: string
  readonly url: string
  readonly client: Client
  readonly upgrade: string | undefined
}

/** When the service stops, requests under way have so long to finish. */
const graceMs = 2000

/** The reverse proxy before the programs in sandboxes: each mapping is a host of its own. */
export class MappingGateway {
  readonly #parts: GatewayParts
  readonly #open: OpenExchanges
  readonly #upstreams: Upstreams
  #closing: PromiseWithResolvers<void> | undefined

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#open = new OpenExchanges(parts.limits)
    this.#upstreams = new Upstreams(parts.limits.perMapping)
  }

  /** How many requests and upgraded connections are open now. */
  get open(): number {
    return this.#open.total
  }

  /** Whether a request is for a mapping, and so for nothing else of the service. */
  claims(request: IncomingMessage): boolean {
    return this.#parts.names.claims(request.headers.host)
  }

  handle(request: IncomingMessage, response: ServerResponse, upgrade?: string): void {
    try {
      const waiting = this.#lead(request, response, upgrade)
      waiting?.catch(error => this.#refuse(response, error))
    } catch (error) {
      this.#refuse(response, error)
    }
  }

  /** A request that would speak WebSocket from then on. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    // Only what comes after the answer is the guest's.
    socket.unshift(head)
    socket.on('error', () => response.destroy())
    response.assignSocket(socket)
    // An answer other than 101 is the last on its connection, from which nobody reads any more.
    response.once('finish', () => socket.destroySoon())
    this.handle(request, response, 'websocket')
  }

  /** The mapping is gone: whatever is open through it ends. */
  forget(id: string): void {
    this.#open.cutThoseOf(id)
    this.#upstreams.forget(id)
  }

  /** To be called now and then: lets go of what nobody uses. */
  sweep(now = performance.now()): void {
    this.#open.endIdle(now)
    this.#upstreams.forgetUnused(now)
  }

  async close(): Promise<void> {
    this.#closing = Promise.withResolvers()
    const late = setTimeout(() => this.#open.cutAll(), graceMs)
    if (this.#open.total > 0) await this.#closing.promise
    clearTimeout(late)
    await this.#upstreams.close()
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (!(error instanceof ApiError)) this.#parts.onFault(error)
    const known = error instanceof ApiError ? error : new ApiError('service.INTERNAL', { cause: error })
    this.#parts.onEnd(known.status)
    answerError(response, known)
  }

  /** Settles who asks and where it goes; a promise only where that has to be looked up. */
  #lead(request: IncomingMessage, response: ServerResponse, upgrade?: string): Promise<void> | undefined {
    const { names, tokens, clients, find } = this.#parts
    const id = names.idOf(request.headers.host)
    if (id === undefined) throw new ApiError('mapping.NOT_FOUND')
    const client = clients(request)
    const admission = admit(request, tokens.of(id), client.protocol === 'https')
    if (admission.kind !== 'pass') {
      this.#parts.onEnd(admission.kind === 'enter' ? 303 : 204)
      if (admission.kind === 'enter') enter(response, admission)
      else allowHeader(response, request.headers)
      return undefined
    }
    const { url } = admission
    if (!url.startsWith('/'))
      throw new ApiError('request.MALFORMED', { message: 'The target of a request must be a path.' })
    if (this.#closing) throw new ApiError('service.UNAVAILABLE', { retryAfter: 1 })
    const relay = (destination: Destination) =>
      this.#relay(request, response, { id, url, client, upgrade }, destination)
    const destination = find(id)
    if (destination instanceof Promise) return destination.then(relay)
    relay(destination)
    return undefined
  }

  #relay(request: IncomingMessage, response: ServerResponse, asked: Asked, destination: Destination): void {
    const { id, upgrade } = asked
    this.#open.requireRoom(id)
    const relay = new MappedRelay(id, request, response, {
      ...this.#wayTo(destination, asked, request),
      upgrade,
      refuse: error => answerError(response, error),
      onEnd: status => this.#onEnd(relay, status),
    })
    this.#open.add(relay)
    relay.start()
  }

  #onEnd(relay: MappedRelay, status: number): void {
    this.#open.remove(relay)
    this.#parts.onEnd(status)
    if (this.#open.total === 0) this.#closing?.resolve()
  }

  #wayTo(
    destination: Destination,
    { id, url, client }: Asked,
    request: IncomingMessage,
  ): Route & Pick<Way, 'onUse'> {
    // The process that has the machine asks for the token again, so it gets the request as it came.
    if ('route' in destination) return { ...destination.route(request), onUse: () => {} }
    const { machine, target, onUse } = destination
    onUse()
    return {
      upstream: this.#upstreams.guest(id, machine, target),
      url,
      headers: toGuest(request, this.#hostFor(target, request), client),
      toClient: headers => toClient(headers, target),
      faultOf,
      onUse,
    }
  }

  /**
   * As what the guest is addressed. Development servers answer for localhost, for every name below it and for
   * addresses, and refuse other names until they are told of them: below a domain of one's own they get the address
   * that they listen on, and the name in X-Forwarded-Host.
   */
  #hostFor(target: string, { headers: { host = target } }: IncomingMessage): string {
    return this.#parts.names.isLocal ? host : target
  }
}
