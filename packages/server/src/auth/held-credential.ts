import type { Role } from '@sandglass/protocol'
import type { Principal } from './principal.ts'

/** A credential that something depends on, without its secret, or the session that stands for it. */
export interface HeldCredential {
  readonly kind: Principal['kind'] | 'session'
  readonly id: string
  /** Null if it does not expire by itself. */
  readonly expiresAt: Date | null
  /** The hash of the secret that was presented. If it is left out, the credential counts whichever secret it has. */
  readonly secret?: string | undefined
  /** The role that it must still have at least. If it is left out, the credential counts whichever role it has. */
  readonly role?: Role | undefined
}

export function heldBy(principal: Principal): HeldCredential {
  const { kind, id, expiresAt = null, session } = principal
  const role = kind === 'operator' ? undefined : principal.role
  if (session) return { kind: 'session', id: session.id, expiresAt: session.expiresAt, role }
  const secret = kind === 'apiKey' || kind === 'operator' ? principal.secret : undefined
  return { kind, id, expiresAt, secret, role }
}

/**
 * Identifies a credential. A user of the OIDC issuer has no row here and may have several tokens at a time, which are
 * told apart by their expiry.
 */
export function textOf({ kind, id, expiresAt }: HeldCredential): string {
  return kind === 'user' ? `user:${expiresAt?.getTime()}:${id}` : `${kind}:${id}`
}

/** Tells apart what a credential has open by all that it depends on: a credential can have several secrets for a while. */
export function keyOf(credential: HeldCredential): string {
  const { secret = '', role = '' } = credential
  return `${textOf(credential)} ${secret} ${role}`
}

const pattern = /^(?:(apiKey|trialToken|session):(.+)|user:(\d{1,15}):(.+))$/s

/**
 * Returns the credential that {@link textOf} identified. The expiry of an API key, a trial token or a session is not in
 * the text, because it can change.
 */
export function heldIn(text: string): HeldCredential | undefined {
  const [, kind, id, expiresAt, subject] = pattern.exec(text) ?? []
  if (kind === 'apiKey' || kind === 'trialToken' || kind === 'session')
    return { kind, id: id ?? '', expiresAt: null }
  return subject === undefined
    ? undefined
    : { kind: 'user', id: subject, expiresAt: new Date(Number(expiresAt)) }
}
