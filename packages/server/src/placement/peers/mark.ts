import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Client, peerHeader } from '@sandglass/mappings'

/** What a forwarded request says of where it comes from. */
export type Mark =
  /** It was not forwarded. */
  | { readonly kind: 'none' }
  /** A process of this installation forwarded it to this one, for a client that it has seen itself. */
  | { readonly kind: 'proven'; readonly client: Client }
  /** It claims so and does not prove it. Nothing that it says is believed, and it is not forwarded either: that ends any loop. */
  | { readonly kind: 'unproven' }

/** The parts of a request that its mark is marked to. */
interface MarkedRequest {
  /** The node that the request is meant for. */
  readonly to: string
  readonly method: string
  readonly path: string
}

/** A mark that somebody overheard is of use for so long at the most, and for the same request alone. */
const maxAgeMs = 60_000

/** The time of the database in base 36, how the client came, its address, and the proof. */
const pattern = /^([0-9a-z]{8,9}) (https?) ([\w.:%-]*) ([\w-]{43})$/
const none: Mark = { kind: 'none' }
const unproven: Mark = { kind: 'unproven' }

/** Marks what this process forwards, and tells marks of other processes from those of anybody else. */
export class Marks {
  readonly #key: KeyObject
  readonly #nodeId: string
  readonly #now: () => number
  /** Each request is asked about several times. */
  readonly #read = new WeakMap<IncomingMessage, Mark>()

  /** The key is that of the installation; the clock must be the same for all processes, as the database's is. */
  constructor(key: Buffer, nodeId: string, now: () => number) {
    // A tenth of the time that the bytes themselves would take for each mark.
    this.#key = createSecretKey(key)
    this.#nodeId = nodeId
    this.#now = now
  }

  make(marked: MarkedRequest, { protocol, address }: Client): string {
    const time = this.#now().toString(36).padStart(8, '0')
    // A proxy may have been told anything as the address of its client.
    const claims = `${time} ${protocol} ${address.replaceAll(/[^\w.:%-]/g, '')}`
    return `${claims} ${this.#proof(claims, marked)}`
  }

  of(request: IncomingMessage): Mark {
    const header = request.headers[peerHeader]
    if (header === undefined) return none
    const known = this.#read.get(request)
    if (known) return known
    const mark = this.#check(request, String(header))
    this.#read.set(request, mark)
    return mark
  }

  #check({ method = '', url: path = '' }: IncomingMessage, header: string): Mark {
    const [, time, protocol, address, proof] = pattern.exec(header) ?? []
    // Anything else was never one of ours.
    if (time === undefined || address === undefined || proof === undefined) return none
    const expected = this.#proof(`${time} ${protocol} ${address}`, { to: this.#nodeId, method, path })
    if (!timingSafeEqual(Buffer.from(proof), Buffer.from(expected))) return unproven
    if (Math.abs(this.#now() - Number.parseInt(time, 36)) > maxAgeMs) return unproven
    return { kind: 'proven', client: { address, protocol: protocol === 'https' ? 'https' : 'http' } }
  }

  #proof(claims: string, { to, method, path }: MarkedRequest): string {
    return createHmac('sha256', this.#key).update(`${claims}\n${to}\n${method}\n${path}`).digest('base64url')
  }
}
