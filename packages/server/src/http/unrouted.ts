import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'

/**
 * Answers a known path with the wrong method with a 405 that lists the allowed methods, and an unknown path with a
 * 404.
 */
export function addUnrouted(app: FastifyInstance): void {
  const router = findMyWay()
  const methods = new Set<HTTPMethod>()
  app.addHook('onRoute', ({ method, url }) => {
    // The CORS plugin registers OPTIONS for every path, whether it exists or not.
    if (url === '*') return
    for (const one of [method].flat() as HTTPMethod[]) {
      methods.add(one)
      if (!router.hasRoute(one, url)) router.on(one, url, () => {})
    }
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split('?')
    const allowed = [...methods].filter(method => router.find(method, path))
    if (allowed.length === 0)
      throw new ApiError('route.NOT_FOUND', { message: `${request.method} ${path} does not exist.` })
    reply.header('allow', allowed.sort().join(', '))
    throw new ApiError('route.METHOD_NOT_ALLOWED', { message: `${path} does not support ${request.method}.` })
  })
}
