import { ApiError } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { heldBy } from '../../auth/held-credential.ts'
import type { Principal } from '../../auth/principal.ts'
import { hashOf, newSecret } from '../../auth/secret.ts'
import type { Tx } from '../../db/database.ts'
import type { SessionCookie } from '../../http/session-cookie.ts'
import { deleteByHash, deleteSurplus, holderColumnsOf, insertSession } from './store.ts'

/** A credential has at most this many sessions; another one ends the oldest. */
const maxSessions = 100

/** A session that has begun. The secret is only in the cookie of the browser. */
export interface Begun {
  /** The caller in the session. */
  readonly principal: Principal
  readonly id: string
  readonly secret: string
}

export interface SignIns {
  readonly cookie: SessionCookie
  /** How long a session lasts. */
  readonly hours: number
}

/**
 * Begins a session that stands for a credential. It always gets a new secret, so that nobody can choose the secret for
 * another person, and it replaces the session that the browser had.
 */
export async function beginSession(
  tx: Tx,
  { cookie, hours }: SignIns,
  request: FastifyRequest,
  holder: Principal,
  name: string | null = null,
): Promise<Begun> {
  const columns = holderColumnsOf(holder, name)
  const secret = newSecret('session')
  const { cookie: header, 'user-agent': userAgent } = request.headers
  for (const earlier of cookie.all(header)) await deleteByHash(tx, hashOf(earlier))
  const row = await insertSession(tx, {
    holder: columns,
    secret,
    hours,
    until: heldBy(holder).expiresAt,
    address: request.ip,
    userAgent,
  })
  const { id, created_at: createdAt, expires_at: expiresAt, address } = row
  if (expiresAt <= createdAt) throw new ApiError('auth.INVALID')
  await deleteSurplus(tx, columns, maxSessions)
  return { principal: { ...holder, session: { id, createdAt, expiresAt, address } }, id, secret: secret.text }
}

/** Gives the browser the cookie of a session, once the session is stored. */
export function keepSession(reply: FastifyReply, { cookie }: SignIns, { principal, secret }: Begun): void {
  if (principal.session) cookie.set(reply, secret, principal.session.expiresAt)
}
