import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Client, peerHeader } from '@sandglass/mappings'
import type { DerivedKeys } from '../../auth/secret-keys.ts'

/** What the header of a forwarded request proves about its origin. */
export type Mark =
  /** The request was not forwarded. */
  | { readonly kind: 'none' }
  /** A process of this installation forwarded the request to this one for a client that connected to it. */
  | { readonly kind: 'proven'; readonly client: Client }
  /** The request has a mark without a valid proof. It is not trusted, and it is not forwarded again, which prevents loops. */
  | { readonly kind: 'unproven' }

/** The parts of a request that its mark is valid for. */
interface MarkedRequest {
  /** The id of the node that the request is sent to. */
  readonly to: string
  readonly method: string
  readonly path: string
}

/** The max age limits how long an intercepted mark can be replayed, which is possible only with the same request. */
const maxAgeMs = 60_000

/** The database time in base 36, the client's protocol, its address, and the proof. */
const pattern = /^([0-9a-z]{8,9}) (https?) ([\w.:%-]*) ([\w-]{43})$/
const none: Mark = { kind: 'none' }
const unproven: Mark = { kind: 'unproven' }

/** Signs the requests that this process forwards, and verifies those that other processes forward to it. */
export class Marks {
  /** The newest comes first. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]
  readonly #nodeId: string
  readonly #now: () => number
  /** Caches the result, because several layers ask about each request. */
  readonly #read = new WeakMap<IncomingMessage, Mark>()

  /**
   * @param keys what is derived from the secret keys that all processes of the installation share
   * @param now the database clock, because marks are valid only if all processes agree on the time
   */
  constructor([newest, ...older]: DerivedKeys, nodeId: string, now: () => number) {
    // A KeyObject makes each HMAC about ten times as fast as passing the bytes.
    this.#keys = [createSecretKey(newest), ...older.map(key => createSecretKey(key))]
    this.#nodeId = nodeId
    this.#now = now
  }

  make(marked: MarkedRequest, { protocol, address }: Client): string {
    const time = this.#now().toString(36).padStart(8, '0')
    // A proxy may report any text as the address of its client, so characters that would break the format are removed.
    const claims = `${time} ${protocol} ${address.replaceAll(/[^\w.:%-]/g, '')}`
    return `${claims} ${proofOf(this.#keys[0], claims, marked)}`
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
    // A header in another format was not set by a process of the service, so it counts as absent.
    if (time === undefined || address === undefined || proof === undefined) return none
    const claims = `${time} ${protocol} ${address}`
    const isProven = this.#keys.some(key => {
      const expected = proofOf(key, claims, { to: this.#nodeId, method, path })
      return timingSafeEqual(Buffer.from(proof), Buffer.from(expected))
    })
    if (!isProven) return unproven
    if (Math.abs(this.#now() - Number.parseInt(time, 36)) > maxAgeMs) return unproven
    return { kind: 'proven', client: { address, protocol: protocol === 'https' ? 'https' : 'http' } }
  }
}

function proofOf(key: KeyObject, claims: string, { to, method, path }: MarkedRequest): string {
  return createHmac('sha256', key).update(`${claims}\n${to}\n${method}\n${path}`).digest('base64url')
}
