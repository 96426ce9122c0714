import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'

declare module 'fastify' {
  interface FastifyInstance {
    unrouted: Unrouted
  }
}

/** Knows the methods of every path, and refuses requests that no route serves. */
export class Unrouted {
  readonly #router = findMyWay()
  readonly #methods = new Set<HTTPMethod>()

  add(method: HTTPMethod, url: string): void {
    this.#methods.add(method)
    if (!this.#router.hasRoute(method, url)) this.#router.on(method, url, () => {})
  }

  /** Returns the methods of the routes for this URL. */
  methodsOf(url: string): string[] {
    const [path = '/'] = url.split('?')
    return [...this.#methods].filter(method => this.#router.find(method, path)).sort()
  }

  /**
   * Returns a 405 with the allowed methods for a known path, and a 404 for an unknown one. The 404 also covers files
   * that are missing below a path that serves files.
   */
  refusal({ method, url }: FastifyRequest, reply: FastifyReply): ApiError {
    const [path = '/'] = url.split('?')
    const methods = this.methodsOf(url)
    if (methods.length === 0 || methods.includes(method))
      return new ApiError('route.NOT_FOUND', { message: `${method} ${path} does not exist.` })
    reply.header('allow', methods.join(', '))
    return new ApiError('route.METHOD_NOT_ALLOWED', { message: `${path} does not support ${method}.` })
  }
}

/**
 * Refuses requests that no route serves. `addAccess` does so before the body is read, because Fastify would otherwise
 * complain about the body of a request that leads nowhere. The handler is for routes that find nothing.
 */
export function addUnrouted(app: FastifyInstance): void {
  const unrouted = new Unrouted()
  app.decorate('unrouted', unrouted)
  app.addHook('onRoute', ({ method, url }) => {
    // The CORS plugin registers OPTIONS for every path, whether it exists or not.
    if (url !== '*') for (const one of [method].flat()) unrouted.add(one as HTTPMethod, url)
  })
  app.setNotFoundHandler((request, reply) => {
    throw unrouted.refusal(request, reply)
  })
}
