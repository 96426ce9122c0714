import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import { allowHeader, answerError, enter } from './answers.ts'
import { ChunkPace } from './chunk-pace.ts'
import type { Client, Clients } from './client.ts'
import type { Destination, Route } from './destination.ts'
import type { Dialable } from './dialable.ts'
import type { Asked, Entrance } from './entrance.ts'
import { faultOf } from './faults.ts'
import { toClient, toGuest } from './headers.ts'
import { MappedRelay } from './mapped-relay.ts'
import { type Limits, OpenExchanges } from './open-exchanges.ts'
import type { Way } from './relay.ts'
import type { Permit } from './token-holders.ts'
import { UpgradeResponse } from './upgrade-response.ts'
import { Upstreams } from './upstreams.ts'

export interface GatewayParts {
  readonly clients: Clients
  readonly limits: Limits
  /**
   * Called when a request is over, with the status of its response, 101 for an upgraded connection, or 0 if there was
   * no response.
   */
  readonly onEnd: (status: number) => void
  /** Called with errors that are not an ApiError. */
  readonly onFault: (error: unknown) => void
}

/** A request that was admitted. */
interface Admitted {
  readonly asked: Asked
  readonly holder: string
  readonly permit: Permit
  readonly url: string
  readonly client: Client
  readonly upgrade: string | undefined
}

/** How long requests in progress may take to finish when the service stops. */
const graceMs = 2000

/** The reverse proxy in front of programs in sandboxes. Requests reach it through entrances, of which the first that claims one counts. */
export class MappingGateway {
  readonly #parts: GatewayParts
  readonly #entrances: Entrance[]
  readonly #open: OpenExchanges
  readonly #upstreams: Upstreams
  /** One per machine, so that more mappings or connections do not allow more small chunks. */
  readonly #paces = new WeakMap<Dialable, ChunkPace>()
  #closing: PromiseWithResolvers<void> | undefined

  constructor(parts: GatewayParts, ...entrances: readonly Entrance[]) {
    this.#parts = parts
    this.#entrances = [...entrances]
    this.#open = new OpenExchanges(parts.limits)
    this.#upstreams = new Upstreams(parts.limits.perMapping)
  }

  /** Adds an entrance, which is asked before the others. */
  addEntrance(entrance: Entrance): void {
    this.#entrances.unshift(entrance)
  }

  /** The number of open requests and upgraded connections. */
  get open(): number {
    return this.#open.total
  }

  /** Whether a request is for a program in a sandbox. If so, no other part of the service may handle it. */
  claims(request: IncomingMessage): boolean {
    return this.#entranceOf(request) !== undefined
  }

  handle(request: IncomingMessage, response: ServerResponse, upgrade?: string): void {
    try {
      const waiting = this.#lead(request, response, upgrade)
      waiting?.catch(error => this.#refuse(request, response, error))
    } catch (error) {
      this.#refuse(request, response, error)
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

  #entranceOf(request: IncomingMessage): Entrance | undefined {
    for (const entrance of this.#entrances) if (entrance.claims(request)) return entrance
    return undefined
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (!(error instanceof ApiError)) this.#parts.onFault(error)
    const known = error instanceof ApiError ? error : new ApiError('service.INTERNAL', { cause: error })
    this.#parts.onEnd(known.status)
    this.#answer(request, response, known)
  }

  #answer(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
    const entrance = this.#entranceOf(request)
    if (entrance) entrance.refuse(request, response, error)
    else answerError(response, error)
  }

  /**
   * Determines who is asking and where the request goes. Returns a promise only if the destination must be looked up,
   * so that known mappings are relayed without an extra tick.
   */
  #lead(request: IncomingMessage, response: ServerResponse, upgrade?: string): Promise<void> | undefined {
    const client = this.#parts.clients(request)
    const asked = this.#entranceOf(request)?.ask(request, client)
    if (!asked) throw new ApiError('mapping.NOT_FOUND')
    const { admission } = asked
    if (admission.kind === 'preflight') {
      this.#parts.onEnd(204)
      allowHeader(response, request.headers)
      return undefined
    }
    const { holder } = admission
    const permitted = (permit: Permit) => {
      if (admission.kind === 'pass')
        return this.#pass(request, response, { asked, holder, permit, url: admission.url, client, upgrade })
      this.#parts.onEnd(303)
      enter(response, admission)
      return undefined
    }
    const permit = asked.permit(holder)
    return permit instanceof Promise ? permit.then(permitted) : permitted(permit)
  }

  #pass(request: IncomingMessage, response: ServerResponse, admitted: Admitted): Promise<void> | undefined {
    const { asked, holder, url } = admitted
    if (!url.startsWith('/'))
      throw new ApiError('request.MALFORMED', { message: 'The target of a request must be a path.' })
    if (this.#closing) throw new ApiError('service.UNAVAILABLE', { retryAfter: 1 })
    const relay = (destination: Destination) => this.#relay(request, response, admitted, destination)
    const destination = asked.find(holder)
    if (destination instanceof Promise) return destination.then(relay)
    relay(destination)
    return undefined
  }

  #relay(
    request: IncomingMessage,
    response: ServerResponse,
    admitted: Admitted,
    destination: Destination,
  ): void {
    const { asked, upgrade, permit } = admitted
    this.#open.requireCapacity(asked.id)
    const { waitMs } = destination
    const relay = new MappedRelay({ mapping: asked.id, waitMs }, request, response, {
      ...this.#wayTo(destination, admitted, request),
      upgrade,
      refuse: error => this.#answer(request, response, error),
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
    { asked, url, client }: Admitted,
    request: IncomingMessage,
  ): Route & Pick<Way, 'onUse' | 'pace'> {
    // The process that has the machine asks for the token again, so it gets the request as it came.
    if ('route' in destination) return { ...destination.route(request), onUse: () => {} }
    const { machine, target, onUse } = destination
    onUse()
    const { host = target } = request.headers
    return {
      upstream: this.#upstreams.guest(asked.id, machine, target),
      url,
      headers: toGuest(request, asked.keepsHost ? host : target, client, asked.hides),
      toClient: headers => toClient(headers, target, asked.isSharedHost),
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
}
