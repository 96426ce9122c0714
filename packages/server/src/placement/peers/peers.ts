import type { IncomingMessage } from 'node:http'
import type { Elsewhere } from '@sandglass/gateway/rooms'
import type { Client, Clients, Route } from '@sandglass/mappings'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { gone } from '../gone.ts'
import type { NodeAddresses } from '../node-addresses.ts'
import { ask, type PeerRequest } from './ask.ts'
import { dial } from './dial.ts'
import { faultOf } from './faults.ts'
import { ForwardedCalls } from './forwarded-calls.ts'
import { headersFromPeer, headersToPeer } from './headers.ts'
import type { Mark, Marks } from './mark.ts'
import { Peer } from './peer.ts'

export interface PeersParts {
  readonly marks: Marks
  readonly addresses: Pick<NodeAddresses, 'find'>
  /** Determines the client of a request that was not forwarded by a peer. */
  readonly clients: Clients
}

const noneDropped: ReadonlySet<string> = new Set()

/**
 * The client for the other processes of the service. It forwards API calls, requests through mappings, and live connections.
 * Each forwarded request is marked, so that the other process trusts what it says about the client and does not forward it
 * again.
 */
export class Peers {
  readonly #parts: PeersParts
  readonly #peers = new Map<string, Peer>()
  readonly #calls = new ForwardedCalls()

  constructor(parts: PeersParts) {
    this.#parts = parts
  }

  /** Determines the client of a request, which connected either to this process or to the peer that forwarded the request. */
  readonly clientOf = (request: IncomingMessage): Client => {
    const mark = this.markOf(request)
    return mark.kind === 'proven' ? mark.client : this.#parts.clients(request)
  }

  markOf(request: IncomingMessage): Mark {
    return this.#parts.marks.of(request)
  }

  /** Forwards a call to another node. Rejects with a 503 if the node does not answer or the call was already forwarded once. */
  async forward(request: FastifyRequest, reply: FastifyReply, nodeId: string): Promise<FastifyReply> {
    const peer = await this.#peerFor(request.raw, nodeId)
    return this.#calls.forward(peer, request, reply, this.clientOf(request.raw))
  }

  /** Sends a request of this process to another node on behalf of a caller, and returns the response body. */
  async ask(request: FastifyRequest, nodeId: string, asked: PeerRequest): Promise<unknown> {
    const peer = await this.#peerFor(request.raw, nodeId)
    return ask(peer, request, this.clientOf(request.raw), asked)
  }

  /** Returns the route for requests through mappings to another node. Their Host and tokens are kept unchanged. */
  async routeTo(nodeId: string): Promise<(request: IncomingMessage) => Route> {
    const peer = await this.#find(nodeId)
    return request => {
      this.#requireNotForwarded(request)
      const { method = 'GET', url = '/' } = request
      return {
        upstream: peer.pool,
        url: peer.urlOf(url),
        headers: headersToPeer(request, peer.mark(method, url, this.clientOf(request)), noneDropped),
        toClient: headersFromPeer,
        faultOf,
      }
    }
  }

  /** The live rooms of another node. */
  roomsOf(nodeId: string): Elsewhere {
    return { dial: async arrival => dial(await this.#find(nodeId), arrival) }
  }

  /** Ends event streams and WebSockets, which would otherwise keep the process open. Other calls are allowed to finish. */
  endStreams(): void {
    this.#calls.endStreams()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#peers.values()].map(({ pool }) => pool.destroy()))
  }

  async #peerFor(request: IncomingMessage, nodeId: string): Promise<Peer> {
    this.#requireNotForwarded(request)
    return this.#find(nodeId)
  }

  /** Prevents a loop: two processes that each consider the other one the owner would otherwise forward a request forever. */
  #requireNotForwarded(request: IncomingMessage): void {
    if (this.markOf(request).kind !== 'none') throw gone()
  }

  async #find(nodeId: string): Promise<Peer> {
    const url = await this.#parts.addresses.find(nodeId)
    if (url === undefined) throw gone()
    const known = this.#peers.get(nodeId)
    if (known?.url === url) return known
    const peer = new Peer(nodeId, url, this.#parts.marks)
    this.#peers.set(nodeId, peer)
    // Calls in progress finish at the old address before its connections are closed.
    void known?.pool.close()
    return peer
  }
}
