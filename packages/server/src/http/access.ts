import rateLimit from '@fastify/rate-limit'
import { type Access, ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/authenticator.ts'
import { authorize } from '../auth/authorize.ts'
import { credentialIn } from '../auth/credential.ts'
import type { OpenByCredential } from '../auth/open-by-credential.ts'
import type { Principal } from '../auth/principal.ts'
import type { Settings } from '../settings.ts'
import { endWithCredential } from './end-with-credential.ts'
import type { LoopTime } from './loop-time.ts'
import { RequestCounts } from './request-counts.ts'
import type { SessionCallers } from './session-callers.ts'

/** The errors of a caller who may be guessing. */
const guesses: ReadonlySet<string> = new Set(['auth.INVALID', 'session.ENDED'])

/** Identifies the caller, applies the rate limits and checks the permissions before the body of a request is read. */
export async function addAccess(
  app: FastifyInstance,
  authenticator: Pick<Authenticator, 'identify'>,
  sessions: Pick<SessionCallers, 'identify'>,
  open: OpenByCredential,
  settings: Settings,
  loopTime: LoopTime,
): Promise<void> {
  // The plugin counts failed authentication, because it knows which addresses belong to one network. Ordinary
  // requests are counted by `RequestCounts`, because the plugin's promises would cost more than everything else in
  // this hook.
  await app.register(rateLimit, { global: false, cache: 50_000, timeWindow: 60_000 })
  const countFailure = app.createRateLimit({ max: settings.SANDGLASS_FAILURE_LIMIT })
  const max = settings.SANDGLASS_RATE_LIMIT
  const limit = String(max)
  const counts = new RequestCounts()

  app.decorateRequest('principal', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const access = request.route?.access
    if (!access) return done(request.is404 ? app.unrouted.refusal(request, reply) : undefined)
    if (access.to === 'public') {
      admitAnyone(request).then(() => done(), done)
      return
    }
    const { changes } = open
    const found = identify(request)
    if (!found || found instanceof Promise) {
      identified(found, request, reply)
        .then(principal => admit(principal, access, request, reply, changes))
        .then(() => done(), done)
      return
    }
    // Nearly every caller is in the cache, and continues without a promise.
    let refusal: Error | undefined
    try {
      admit(found, access, request, reply, changes)
    } catch (error) {
      refusal = error as Error
    }
    done(refusal)
  })

  /** Unauthenticated requests are limited per address, like invalid credentials. */
  async function admitAnyone(request: FastifyRequest): Promise<void> {
    const count = await countFailure(request)
    if (!count.isAllowed && count.isExceeded)
      throw new ApiError('rate.LIMITED', { retryAfter: count.ttlInSeconds })
  }

  /** The cookie of a session counts only if no header has a credential. */
  function identify(request: FastifyRequest): ReturnType<Authenticator['identify']> {
    try {
      const own = request.route?.identify
      if (own) return own(request)
      const credential = credentialIn(request.headers)
      return credential === undefined ? sessions.identify(request) : authenticator.identify(credential)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function identified(
    found: undefined | Promise<Principal | undefined>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal> {
    try {
      const principal = await found
      if (!principal) throw new ApiError('auth.INVALID')
      return principal
    } catch (error) {
      await countInvalidCredential(error, request)
      if (!(error instanceof ApiError) || error.status === 401)
        reply.header('www-authenticate', request.route?.challenge?.(request) ?? 'Bearer realm="sandglass"')
      throw error
    }
  }

  /**
   * Counts the request, and throws if the rate limit is exceeded or the caller has no permission. An admitted request
   * ends with the credential. `changes` is the number of changes that were announced before the caller was identified.
   */
  function admit(
    principal: Principal,
    access: Access,
    request: FastifyRequest,
    reply: FastifyReply,
    changes: number,
  ): void {
    request.principal = principal
    const now = performance.now()
    const { count, endsAt } = counts.count(principal, now)
    const retryAfter = Math.ceil((endsAt - now) / 1000)
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', String(Math.max(0, max - count)))
    reply.header('ratelimit-reset', String(retryAfter))
    if (count > max) throw new ApiError('rate.LIMITED', { retryAfter })
    loopTime.admit(principal, now)
    authorize(access, principal, organizationIn(request, principal))
    endWithCredential(open, principal, reply.raw, changes)
  }

  /**
   * A client that keeps guessing receives "too many failures" instead of "invalid credential", so that it learns
   * nothing from further guesses.
   */
  async function countInvalidCredential(error: unknown, request: FastifyRequest) {
    if (!(error instanceof ApiError) || !guesses.has(error.code)) return
    const count = await countFailure(request)
    if (!count.isAllowed && count.isExceeded)
      throw new ApiError('rate.TOO_MANY_FAILURES', { retryAfter: count.ttlInSeconds })
  }
}

/** The organization that a request names in its path, or the caller's own if the route has none in its path. */
function organizationIn({ route, params }: FastifyRequest, principal: Principal): string | undefined {
  if (!route?.ownOrganization) return (params as { orgId?: string }).orgId
  return principal.kind === 'operator' ? undefined : principal.organization.id
}
