import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressHeaders, type PortAddress, portRefusal } from '@sandglass/doors/e2b'
import {
  type Admission,
  type Asked,
  admit,
  answerError,
  type Client,
  type Destination,
  type Entrance,
  isTokenHeader,
  MappingTokens,
  type Permit,
  type TokenNames,
} from '@sandglass/mappings'
import { ApiError, createHttpMapping } from '@sandglass/protocol'
import { authorize } from '../../../auth/authorize.ts'
import { heldBy } from '../../../auth/held-credential.ts'
import type { OrganizationPrincipal, Principal } from '../../../auth/principal.ts'
import { asApiError } from '../../../db/faults.ts'
import type { Addresses } from '../addresses.ts'
import type { DoorParts } from '../door-parts.ts'
import { principalOf } from '../holders.ts'

const trafficToken = 'e2b-traffic-access-token'
const daemonToken = 'x-access-token'
const tokenNames: TokenNames = { headers: [trafficToken], parameters: [trafficToken] }

/** The headers that only concern the way to a port. */
const ownHeaders: ReadonlySet<string> = new Set([trafficToken, ...Object.values(addressHeaders)])

export type PortParts = Pick<DoorParts, 'authenticator' | 'mappings' | 'open' | 'router' | 'tokens'>

/**
 * The ports of all sandboxes, by the hosts and headers of E2B's clients. They are no more open than mappings: a request needs a
 * token that `create` or `connect` returned, whose credential could map the port.
 */
export class PortEntrance implements Entrance {
  readonly #parts: PortParts
  readonly #addresses: Addresses

  constructor(parts: PortParts, addresses: Addresses) {
    this.#parts = parts
    this.#addresses = addresses
  }

  claims(request: IncomingMessage): boolean {
    return this.#addresses.portIn(request) !== undefined
  }

  ask(request: IncomingMessage, { protocol }: Client): Asked {
    const address = this.#required(request)
    return {
      // The ports of a sandbox share the limits of one mapping.
      id: address.sandboxId,
      admission: this.#admit(request, address, protocol === 'https'),
      keepsHost: address.isHost && this.#parts.mappings.names.isLocal,
      isSharedHost: !address.isHost,
      hides: (name, value) =>
        ownHeaders.has(name) ||
        isTokenHeader(name) ||
        (name === daemonToken && MappingTokens.looksLikeOne(value)),
      permit: holder => this.#permit(holder),
      find: holder => this.#find(holder, address),
    }
  }

  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
    answerError(response, error, portRefusal(error, this.#required(request)))
  }

  #required(request: IncomingMessage): PortAddress {
    const address = this.#addresses.portIn(request)
    if (!address) throw new ApiError('mapping.NOT_FOUND')
    return address
  }

  /**
   * The token for the daemon admits too, because programs that call a port by headers have it at hand. Only in a header: what is in
   * a URL or a cookie is seen by more eyes, and that token also runs programs. A program's own header of that name is left to it.
   */
  #admit(request: IncomingMessage, { sandboxId, isHost }: PortAddress, isSecure: boolean): Admission {
    const { tokens } = this.#parts
    const { [trafficToken]: traffic, [daemonToken]: daemon } = request.headers
    if (traffic === undefined && typeof daemon === 'string' && MappingTokens.looksLikeOne(daemon)) {
      const holder = tokens.daemonHolder(sandboxId, daemon)
      if (holder === undefined) throw new ApiError('mapping.UNAUTHORIZED')
      return { kind: 'pass', holder, url: request.url ?? '/' }
    }
    // At a host that is not the port's alone, a cookie would be one for everything there.
    if (!isHost && traffic === undefined) throw new ApiError('mapping.UNAUTHORIZED')
    return admit(request, token => tokens.trafficHolder(sandboxId, token), isSecure, tokenNames)
  }

  #permit(holder: string): Permit | Promise<Permit> {
    const { open } = this.#parts
    const { changes } = open
    const permitted = (principal: Principal): Permit => {
      memberOf(principal)
      return { enter: end => open.enter(heldBy(principal), end, changes) }
    }
    const principal = principalOf(this.#parts, holder)
    return principal instanceof Promise ? principal.then(permitted, known) : permitted(principal)
  }

  async #find(holder: string, { sandboxId, port }: PortAddress): Promise<Destination> {
    const { router, mappings } = this.#parts
    try {
      const member = memberOf(await principalOf(this.#parts, holder))
      return await mappings.findPort(await router.find(member, sandboxId), port)
    } catch (error) {
      return known(error)
    }
  }
}

/** Returns the principal if it could map a port. */
function memberOf(principal: Principal): OrganizationPrincipal {
  if (principal.kind === 'operator') throw new ApiError('auth.INVALID')
  authorize(createHttpMapping.access, principal, principal.organization.id)
  return principal
}

/** Reports an unreachable database as a 503, as everywhere else. */
function known(error: unknown): never {
  throw asApiError(error) ?? error
}
