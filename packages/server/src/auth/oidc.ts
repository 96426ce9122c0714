import { Role } from '@sandglass/protocol'
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'
import type { DatabaseClock } from '../db/clock.ts'
import type { Settings } from '../settings.ts'

/** What the claims of a verified token say about the membership of its holder. */
export interface MemberClaims {
  readonly orgId: string
  readonly role: Role
}

/** The claims of a verified bearer token. */
export interface BearerClaims extends MemberClaims {
  readonly subject: string
  readonly expiresAt: Date
}

const algorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** Returns undefined if the claims name no organization, or a role that does not exist. */
export function memberClaims(
  payload: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'SANDGLASS_OIDC_ORG_CLAIM' | 'SANDGLASS_OIDC_ROLE_CLAIM'>,
): MemberClaims | undefined {
  const orgId = payload[settings.SANDGLASS_OIDC_ORG_CLAIM]
  const role = Role.safeParse(payload[settings.SANDGLASS_OIDC_ROLE_CLAIM] ?? 'viewer')
  return typeof orgId === 'string' && role.success ? { orgId, role: role.data } : undefined
}

/** Verifies bearer tokens of one OpenID Connect issuer. */
export class BearerTokens {
  readonly #settings: Settings
  readonly #issuer: string
  readonly #clock: DatabaseClock
  #keys: JWTVerifyGetKey | undefined

  private constructor(settings: Settings, issuer: string, clock: DatabaseClock) {
    this.#clock = clock
    this.#settings = settings
    this.#issuer = issuer
  }

  /** Returns undefined if no issuer is configured. */
  static from(settings: Settings, clock: DatabaseClock): BearerTokens | undefined {
    const issuer = settings.SANDGLASS_OIDC_ISSUER
    return issuer ? new BearerTokens(settings, issuer, clock) : undefined
  }

  /** Returns undefined if the token was not signed by the issuer for this service, or names no organization. */
  async verify(token: string): Promise<BearerClaims | undefined> {
    const audience = this.#settings.SANDGLASS_OIDC_AUDIENCE
    if (audience === undefined || token.split('.').length !== 3) return undefined
    try {
      const { payload } = await jwtVerify(token, await this.#keySet(), {
        issuer: this.#issuer,
        audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: 5,
        currentDate: new Date(this.#clock.now()),
      })
      return this.#claims(payload)
    } catch (error) {
      // A failure to fetch the issuer's keys ends here too: a token that cannot be verified is treated as invalid.
      if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof z.ZodError)
        return undefined
      throw error
    }
  }

  #claims(payload: Record<string, unknown>): BearerClaims | undefined {
    const member = memberClaims(payload, this.#settings)
    const expiresAt = new Date(Number(payload['exp']) * 1000)
    return member && { ...member, subject: String(payload['sub']), expiresAt }
  }

  async #keySet(): Promise<JWTVerifyGetKey> {
    this.#keys ??= createRemoteJWKSet(
      new URL(this.#settings.SANDGLASS_OIDC_JWKS_URL ?? (await this.#discover())),
    )
    return this.#keys
  }

  async #discover(): Promise<string> {
    const url = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' })
    const { issuer, jwks_uri } = Discovery.parse(await response.json())
    if (issuer !== this.#issuer) throw new TypeError(`${url} speaks for ${issuer}`)
    return jwks_uri
  }
}
