import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Peers } from '../placement/peers/peers.ts'
import { isLoopback } from './hosts.ts'
import type { OwnPages } from './own-pages.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface SessionCallersParts {
  readonly sessions: Pick<Sessions, 'identify'>
  readonly cookie: SessionCookie
  readonly pages: OwnPages
  readonly peers: Pick<Peers, 'markOf'>
}

/** Identifies callers who have no credential in a header by the cookie of their session. */
export class SessionCallers {
  readonly #parts: SessionCallersParts

  constructor(parts: SessionCallersParts) {
    this.#parts = parts
  }

  identify(request: FastifyRequest): Principal | Promise<Principal> {
    const { cookie, sessions, pages, peers } = this.#parts
    const { cookie: header } = request.headers
    if (header === undefined) throw new ApiError('auth.MISSING')
    // The process that forwarded a request has checked it, and does not pass the Origin on.
    const isForwarded = peers.markOf(request.raw).kind === 'proven'
    const secret = isForwarded ? cookie.readForwarded(header) : cookie.read(header)
    if (secret === undefined) throw new ApiError('auth.MISSING')
    if (!isForwarded) pages.require(request)
    const found = sessions.identify(secret)
    if (found instanceof Promise) return found.then(principal => requireSession(principal, request))
    return requireSession(found, request)
  }
}

/**
 * Cookies do not tell ports apart, so whoever serves another port of a loopback address, such as a program in a sandbox to
 * which a port was forwarded, receives the cookie of a person who opened both. It is worth nothing outside of this host.
 */
function requireSession(principal: Principal | undefined, { ip }: FastifyRequest): Principal {
  const address = principal?.session?.address
  if (!principal || (address !== undefined && isLocal(address) && !isLocal(ip)))
    throw new ApiError('session.ENDED')
  return principal
}

function isLocal(address: string): boolean {
  return isLoopback(address.replace(/^::ffff:/, ''))
}
