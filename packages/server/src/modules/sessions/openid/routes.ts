import { ApiError, createSession } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { appendAuditWithEvents } from '../../../audit/store.ts'
import type { OrganizationPrincipal } from '../../../auth/principal.ts'
import { findOrganizationFacts } from '../../../auth/stored-credentials.ts'
import type { Database } from '../../../db/database.ts'
import { transactFor } from '../../../db/transact.ts'
import { recordOf } from '../../../http/change.ts'
import { cookiesNamed, cookieText } from '../../../http/cookies.ts'
import { beginSession, keepSession, type SignIns } from '../service.ts'
import { type Attempts, attemptSeconds } from './attempts.ts'
import type { Issuer } from './issuer.ts'
import { localPath } from './local-path.ts'

const path = '/sign-in/openid'

export interface OpenIdParts {
  readonly db: Database
  readonly issuer: Issuer
  readonly attempts: Attempts
  readonly signIns: SignIns
  readonly publicUrl: () => string
}

/**
 * Serves the sign-in with the OpenID Connect issuer: one address sends the browser to the issuer, and the issuer sends it back
 * to the other. What goes wrong is shown by the sign-in page.
 */
export function addOpenIdSignIn(app: FastifyInstance, parts: OpenIdParts): void {
  const { db, issuer, attempts, signIns, publicUrl } = parts
  const redirectUri = () => `${publicUrl()}${path}/callback`
  // Traces would contain the query, in which the issuer sends its code.
  const config = { access: { to: 'public' }, otel: false } as const

  app.get<{ Querystring: { to?: unknown } }>(path, { config }, async (request, reply) => {
    const attempt = issuer.newAttempt(localPath(request.query.to))
    try {
      const address = await issuer.addressFor(attempt, redirectUri())
      keepAttempt(reply, await attempts.seal(attempt), new Date(Date.now() + attemptSeconds * 1000))
      return reply.redirect(address, 303)
    } catch (error) {
      return refuse(request, reply, error)
    }
  })

  app.get(`${path}/callback`, { config }, async (request, reply) => {
    keepAttempt(reply, '', new Date(0))
    try {
      return reply.redirect(await finish(request, reply), 303)
    } catch (error) {
      return refuse(request, reply, error)
    }
  })

  /** Signs the person in, and returns the page to show. */
  async function finish(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const [sealed, ...more] = cookiesNamed(request.headers.cookie, cookieName())
    const attempt = sealed === undefined || more.length > 0 ? undefined : await attempts.open(sealed)
    const answer = new URL(redirectUri())
    answer.search = new URL(request.url, answer).search
    if (!attempt || answer.searchParams.get('state') !== attempt.state)
      throw new ApiError('session.ATTEMPT_INVALID')
    const { subject: id, orgId, role, name, expiresAt } = await issuer.redeem(answer, attempt)
    const organization = await findOrganizationFacts(db, orgId)
    if (!organization) throw new ApiError('session.NO_ORGANIZATION')
    const person: OrganizationPrincipal = { kind: 'user', id, role, expiresAt, organization }
    request.principal = person
    const begun = await transactFor(db, orgId, async tx => {
      const session = await beginSession(tx, signIns, request, person, name)
      await appendAuditWithEvents(tx, recordOf(createSession, person, request, session.id, 'done'))
      return session
    })
    keepSession(reply, signIns, begun)
    return attempt.to
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    if (!(error instanceof ApiError)) throw error
    request.log.warn({ requestId: request.id, error }, 'a person could not sign in with the issuer')
    return reply.redirect(`${publicUrl()}/sign-in#error=${error.code}`, 303)
  }

  /** The cookie comes back with the redirect from the site of the issuer, so it cannot be strict. */
  function keepAttempt(reply: FastifyReply, value: string, expiresAt: Date): void {
    reply.header('cache-control', 'no-store')
    reply.header(
      'set-cookie',
      cookieText({ name: cookieName(), value, expiresAt, sameSite: 'Lax', isSecure: isSecure() }),
    )
  }

  function cookieName(): string {
    return isSecure() ? '__Host-sandglass-sign-in' : 'sandglass-sign-in'
  }

  function isSecure(): boolean {
    return publicUrl().startsWith('https:')
  }
}
