import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import { admit } from './admission.ts'
import { allowHeader, answerError, enter } from './answers.ts'
import { ChunkPace } from './chunk-pace.ts'
import type { Client, Clients } from './client.ts'
import type { Dialable } from './dialable.ts'
import { faultOf } from './faults.ts'
import { toClient, toGuest } from './headers.ts'
import { MappedRelay } from './mapped-relay.ts'
import type { MappingNames } from './names.ts'
import { type Limits, OpenExchanges } from './open-exchanges.ts'
import type { Way } from './relay.ts'
import type { Permit, TokenHolders } from './token-holders.ts'
import type { MappingTokens } from './tokens.ts'
import { UpgradeResponse } from './upgrade-response.ts'
import { Upstreams } from './upstreams.ts'

/** How a request reaches the target of a mapping. */
export type Route = Pick<Way, 'upstream' | 'url' | 'headers' | 'toClient' | 'faultOf'>

/** Where a mapping leads: into a machine of this process, or to the process that has the machine. */
export type Destination = {
  /** How long the guest may take to begin its response, if that differs from the limit for all mappings. */
  readonly waitMs?: number | undefined
} & (
  | { readonly machine: Dialable; readonly target: string; readonly onUse: () => void }
  /** `route` throws an ApiError if the request must not be forwarded, for example because it was already. */
  | { readonly route: (request: IncomingMessage) => Route }
)

export interface GatewayParts {
  readonly names: MappingNames
  readonly tokens: MappingTokens
  readonly holders: TokenHolders
  readonly clients: Clients
  readonly limits: Limits
  /** Finds where a mapping leads; an ApiError says why it leads nowhere. */
  readonly find: (id: string) => Destination | Promise<Destination>
  /**
   * Called when a request is over, with the status of its response, 101 for an upgraded connection, or 0 if there was
   * no response.
   */
  readonly onEnd: (status: number) => void
  /** Called with errors that are not an ApiError. */
  readonly onFault: (error: unknown) => void
}

/** A request that was admitted. */
interface Asked {
  readonly permit: Permit
  readonly id: string
  readonly url: string
  readonly client: Client
  readonly upgrade: string | undefined
}

/** How long requests in progress may take to finish when the service stops. */
const graceMs = 2000

/** The reverse proxy in front of programs in sandboxes. Each mapping is its own host. */
export class MappingGateway {
  readonly #parts: GatewayParts
  readonly #open: OpenExchanges
  readonly #upstreams: Upstreams
  /** One per machine, so that more mappings or connections do not allow more small chunks. */
  readonly #paces = new WeakMap<Dialable, ChunkPace>()
  #closing: PromiseWithResolvers<void> | undefined

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#open = new OpenExchanges(parts.limits)
    this.#upstreams = new Upstreams(parts.limits.perMapping)
  }

  /** The number of open requests and upgraded connections. */
  get open(): number {
    return this.#open.total
  }

  /** Whether a request is for a mapping. If so, no other part of the service may handle it. */
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

  /** Handles a request to switch to WebSocket. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.handle(request, new UpgradeResponse(request, socket, head), 'websocket')
  }

  /** Ends everything that is open through a mapping that no longer exists. */
  forget(id: string): void {
    this.#open.cutAllOf(id)
    this.#upstreams.forget(id)
  }

  /** Ends idle exchanges and closes unused connection pools. Must be called periodically. */
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

  /**
   * Determines who is asking and where the request goes. Returns a promise only if the destination must be looked up,
   * so that known mappings are relayed without an extra tick.
   */
  #lead(request: IncomingMessage, response: ServerResponse, upgrade?: string): Promise<void> | undefined {
    const { names, tokens, holders, clients } = this.#parts
    const id = names.idOf(request.headers.host)
    if (id === undefined) throw new ApiError('mapping.NOT_FOUND')
    const client = clients(request)
    const admission = admit(request, token => tokens.holderOf(id, token), client.protocol === 'https')
    if (admission.kind === 'preflight') {
      this.#parts.onEnd(204)
      allowHeader(response, request.headers)
      return undefined
    }
    const permitted = (permit: Permit) => {
      if (admission.kind === 'pass')
        return this.#pass(request, response, { id, permit, url: admission.url, client, upgrade })
      this.#parts.onEnd(303)
      enter(response, admission)
      return undefined
    }
    const permit = holders.permit(admission.holder)
    return permit instanceof Promise ? permit.then(permitted) : permitted(permit)
  }

  #pass(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> | undefined {
    const { id, url } = asked
    if (!url.startsWith('/'))
      throw new ApiError('request.MALFORMED', { message: 'The target of a request must be a path.' })
    if (this.#closing) throw new ApiError('service.UNAVAILABLE', { retryAfter: 1 })
    const relay = (destination: Destination) => this.#relay(request, response, asked, destination)
    const destination = this.#parts.find(id)
    if (destination instanceof Promise) return destination.then(relay)
    relay(destination)
    return undefined
  }

  #relay(request: IncomingMessage, response: ServerResponse, asked: Asked, destination: Destination): void {
    const { id, upgrade, permit } = asked
    this.#open.requireCapacity(id)
    const { waitMs } = destination
    const relay = new MappedRelay({ mapping: id, waitMs }, request, response, {
      ...this.#wayTo(destination, asked, request),
      upgrade,
      refuse: error => answerError(response, error),
      onEnd: status => {
        leave()
        this.#onEnd(relay, status)
      },
    })
    this.#open.add(relay)
    const leave = permit.enter(() => relay.cut())
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
  ): Route & Pick<Way, 'onUse' | 'pace'> {
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
      pace: this.#paceOf(machine),
    }
  }

  #paceOf(machine: Dialable): ChunkPace {
    const pace = this.#paces.get(machine) ?? new ChunkPace()
    this.#paces.set(machine, pace)
    return pace
  }

  /**
   * The Host header for the guest. Development servers accept localhost, every name below it and IP addresses, and
   * reject other names until configured. Below a custom domain they therefore get the address that they listen on,
   * and the original name in X-Forwarded-Host.
   */
  #hostFor(target: string, { headers: { host = target } }: IncomingMessage): string {
    return this.#parts.names.isLocal ? host : target
  }
}
