import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Peers } from '../placement/peers/peers.ts'
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
    return found instanceof Promise ? found.then(requireSession) : requireSession(found)
  }
}

function requireSession(principal: Principal | undefined): Principal {
  if (!principal) throw new ApiError('session.ENDED')
  return principal
}
