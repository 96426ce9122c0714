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
  /** Who sent a request that no peer forwarded. */
  readonly clients: Clients
}

const noneDropped: ReadonlySet<string> = new Set()

/**
 * The one way to the other processes of the service: calls, requests through mappings, and live connections. What this
 * process forwards is marked, so that the other one believes what it is told of the client and does not forward it again.
 */
export class Peers {
  readonly #parts: PeersParts
  readonly #peers = new Map<string, Peer>()
  readonly #calls = new ForwardedCalls()

  constructor(parts: PeersParts) {
    this.#parts = parts
  }

  /** Who sent a request: to a peer that forwarded it, or to this process. */
  readonly clientOf = (request: IncomingMessage): Client => {
    const mark = this.markOf(request)
    return mark.kind === 'proven' ? mark.client : this.#parts.clients(request)
  }

  markOf(request: IncomingMessage): Mark {
    return this.#parts.marks.of(request)
  }

  /** Has another node answer a call. Rejects with a 503 where it does not answer, or where the call was forwarded before. */
  async forward(request: FastifyRequest, reply: FastifyReply, nodeId: string): Promise<FastifyReply> {
    const peer = await this.#peerFor(request.raw, nodeId)
    return this.#calls.forward(peer, request, reply, this.clientOf(request.raw))
  }

  /** Asks another node something on behalf of a caller, by a request of this process's own. */
  async ask(request: FastifyRequest, nodeId: string, asked: PeerRequest): Promise<unknown> {
    const peer = await this.#peerFor(request.raw, nodeId)
    return ask(peer, request, this.clientOf(request.raw), asked)
  }

  /** How requests through mappings get to another node, with their Host and tokens as they came. */
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

  /** Streams that would never end by themselves end now; other calls are finished. */
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

  /** Two processes that each take the other for the owner would forward a request for ever. */
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
    // What is under way at the old address is finished there.
    void known?.pool.close()
    return peer
  }
}
