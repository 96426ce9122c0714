import { ApiError } from '@sandglass/protocol'
import * as client from 'openid-client'
import { type MemberClaims, memberClaims } from '../../../auth/oidc.ts'
import type { Settings } from '../../../settings.ts'
import type { Attempt } from './attempts.ts'

const timeoutSeconds = 5

/** A person whom the issuer has signed in. */
export interface IssuedPerson extends MemberClaims {
  readonly subject: string
  readonly name: string | null
  /** When the last of the tokens that the issuer gave expires. */
  readonly expiresAt: Date
}

export interface IssuerSettings {
  readonly settings: Settings
  readonly issuer: string
  readonly clientId: string
}

/** The OpenID Connect issuer at which people sign in, with an authorization code and PKCE. */
export class Issuer {
  readonly #settings: Settings
  readonly #url: URL
  readonly #clientId: string
  #configuration: Promise<client.Configuration> | undefined

  private constructor({ settings, issuer, clientId }: IssuerSettings) {
    this.#settings = settings
    this.#url = new URL(issuer)
    this.#clientId = clientId
  }

  /** Returns undefined if people cannot sign in with an issuer. */
  static from(settings: Settings): Issuer | undefined {
    const { SANDGLASS_OIDC_ISSUER: issuer, SANDGLASS_OIDC_CLIENT_ID: clientId } = settings
    return issuer && clientId ? new Issuer({ settings, issuer, clientId }) : undefined
  }

  newAttempt(to: string): Attempt {
    const [state, nonce, verifier] = [
      client.randomState(),
      client.randomNonce(),
      client.randomPKCECodeVerifier(),
    ]
    return { state, nonce, verifier, to }
  }

  /** The address at the issuer to which the browser is sent. */
  async addressFor({ state, nonce, verifier }: Attempt, redirectUri: string): Promise<string> {
    const configuration = await this.#configured()
    const challenge = await client.calculatePKCECodeChallenge(verifier)
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#settings.SANDGLASS_OIDC_SCOPE,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state,
      nonce,
    }).href
  }

  /** Exchanges the answer of the issuer for its tokens, and verifies them. `answer` is the URL with which the browser came back. */
  async redeem(answer: URL, { state, nonce, verifier }: Attempt): Promise<IssuedPerson> {
    const configuration = await this.#configured()
    const tokens = await client
      .authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      })
      .catch(cause => {
        throw new ApiError(isUnavailable(cause) ? 'session.ISSUER_UNAVAILABLE' : 'session.ISSUER_REFUSED', {
          cause,
        })
      })
    const claims = tokens.claims()
    const member = claims && memberClaims(claims, this.#settings)
    if (!member) throw new ApiError('session.NO_ORGANIZATION')
    const accessSeconds = tokens.expiresIn() ?? 0
    const { name, preferred_username: username, email } = claims
    const shown = [name, username, email].find(text => typeof text === 'string' && text !== '')
    return {
      ...member,
      subject: claims.sub,
      name: shown === undefined ? null : String(shown).slice(0, 100),
      expiresAt: new Date(Math.max(claims.exp * 1000, Date.now() + accessSeconds * 1000)),
    }
  }

  async #configured(): Promise<client.Configuration> {
    this.#configuration ??= this.#discover()
    try {
      return await this.#configuration
    } catch (cause) {
      this.#configuration = undefined
      throw new ApiError('session.ISSUER_UNAVAILABLE', { cause })
    }
  }

  #discover(): Promise<client.Configuration> {
    const secret = this.#settings.SANDGLASS_OIDC_CLIENT_SECRET
    const authentication = secret === undefined ? client.None() : client.ClientSecretPost(secret)
    const isPlain = this.#url.protocol === 'http:'
    return client.discovery(this.#url, this.#clientId, secret, authentication, {
      // The signature of an ID token is verified although it comes from the issuer directly.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      timeout: timeoutSeconds,
    })
  }
}

/** Whether the issuer did not answer, or answered with something that is none of its answers. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof TypeError) return true
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
}
