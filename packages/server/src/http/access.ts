import rateLimit from '@fastify/rate-limit'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/authenticator.ts'
import { authorize } from '../auth/authorize.ts'
import { credentialOf } from '../auth/credential.ts'
import type { Principal } from '../auth/principal.ts'
import type { Settings } from '../settings.ts'

/** Settles who is calling, how often, and whether they may, before the body of the request is read. */
export async function addAccess(
  app: FastifyInstance,
  authenticator: Pick<Authenticator, 'identify'>,
  settings: Settings,
): Promise<void> {
  await app.register(rateLimit, { global: false, cache: 50_000, timeWindow: 60_000 })
  const countRequest = app.createRateLimit({
    max: settings.SANDGLASS_RATE_LIMIT,
    keyGenerator: ({ principal }) => `${principal?.kind}:${principal?.id}`,
  })
  const countFailure = app.createRateLimit({ max: settings.SANDGLASS_FAILURE_LIMIT })

  app.decorateRequest('principal', undefined)
  app.addHook('onRequest', async (request, reply) => {
    const access = request.route?.access
    if (!access) return
    let principal: Principal | undefined
    try {
      const found = authenticator.identify(credentialOf(request.headers))
      principal = found instanceof Promise ? await found : found
      if (!principal) throw new ApiError('auth.INVALID')
    } catch (error) {
      await noteFailure(error, request)
      reply.header('www-authenticate', 'Bearer realm="sandglass"')
      throw error
    }
    request.principal = principal
    const count = await countRequest(request)
    if (!count.isAllowed) {
      reply.header('ratelimit-limit', count.max)
      reply.header('ratelimit-remaining', count.remaining)
      reply.header('ratelimit-reset', count.ttlInSeconds)
      if (count.isExceeded) throw new ApiError('rate.LIMITED', { retryAfter: count.ttlInSeconds })
    }
    authorize(access, principal, (request.params as { orgId?: string }).orgId)
  })

  /** Who keeps guessing is told to stop instead of being told that the guess was wrong. */
  async function noteFailure(error: unknown, request: FastifyRequest) {
    if (!(error instanceof ApiError) || error.code !== 'auth.INVALID') return
    const count = await countFailure(request)
    if (!count.isAllowed && count.isExceeded)
      throw new ApiError('rate.TOO_MANY_FAILURES', { retryAfter: count.ttlInSeconds })
  }
}
