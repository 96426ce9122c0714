import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'

/** A page can send this header to its own origin only, unless the other one allows it by CORS. */
export const sessionHeader = 'x-sandglass-session'

/**
 * Tells the pages of the service from those of others by what browsers say about the page that made a request. Pages cannot
 * forge that, so another origin, such as a page that is served from a sandbox, cannot use a cookie of the service.
 */
export class OwnPages {
  readonly #publicUrl: () => string

  constructor(publicUrl: () => string) {
    this.#publicUrl = publicUrl
  }

  /** Refuses a request that a page of another origin made. */
  refuseOthers({ headers, host }: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = headers
    if (site !== undefined && site !== 'same-origin') throw foreign(`its page is ${site}`)
    if (origin !== undefined && !this.#isOwn(origin, host)) throw foreign(`its origin is ${origin}`)
  }

  /**
   * Refuses a request that was not made by a page of the service for certain. A WebSocket cannot have headers of its own,
   * so its Origin decides. A picture or a download in a page has none either, and it cannot run as a page.
   */
  require(request: FastifyRequest): void {
    this.refuseOthers(request)
    const { headers, route } = request
    const answers = route?.operation?.answers
    if (answers === 'socket') {
      if (headers.origin === undefined) throw foreign('it has no Origin')
      return
    }
    if (headers[sessionHeader] === '1') return
    const isPicture = answers === 'bytes' && request.method === 'GET'
    if (isPicture && headers['sec-fetch-site'] === 'same-origin') return
    throw foreign('it does not have the header X-Sandglass-Session: 1')
  }

  #isOwn(origin: string, host: string): boolean {
    const { origin: own, protocol } = new URL(this.#publicUrl())
    return origin === own || origin === `${protocol}//${host}`
  }
}

function foreign(reason: string): ApiError {
  return new ApiError('session.FOREIGN_PAGE', {
    message: `The session cookie is only accepted from the pages of the service itself, and the request is not known to be from one: ${reason}.`,
  })
}
