import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { cleanup } from './cleanup.ts'

/** What a test lets the issuer do otherwise than it should. */
export interface Misbehaviour {
  /** Claims of the next ID tokens. */
  claims?: Record<string, unknown>
  nonce?: string
  audience?: string
  expires?: string
  key?: CryptoKey
  /** The person declines. */
  isDenied?: boolean
}

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

export const clientId = 'the-service'
export const clientSecret = 'the secret of the service'

/** An OpenID Connect issuer on loopback, at which one person is signed in already. It checks what an issuer has to check. */
export class TestIssuer {
  readonly url: string
  readonly #key: CryptoKey
  readonly #grants = new Map<string, Grant>()
  misbehaviour: Misbehaviour = {}
  /** The form of each request for tokens. */
  readonly asked: URLSearchParams[] = []

  private constructor(url: string, key: CryptoKey) {
    this.url = url
    this.#key = key
  }

  static async start(): Promise<TestIssuer> {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const server = createServer((request, response) => {
      issuer.#serve(request, response, publicKey).catch(error => response.writeHead(500).end(String(error)))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    cleanup.defer(() => {
      server.close()
      server.closeAllConnections()
    })
    const issuer = new TestIssuer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, privateKey)
    return issuer
  }

  /** The settings of a service whose people sign in here. */
  get env(): Record<string, string> {
    return {
      SANDGLASS_OIDC_ISSUER: this.url,
      SANDGLASS_OIDC_AUDIENCE: 'sandglass',
      SANDGLASS_OIDC_CLIENT_ID: clientId,
      SANDGLASS_OIDC_CLIENT_SECRET: clientSecret,
      SANDGLASS_OIDC_NAME: 'Example',
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, publicKey: CryptoKey): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', this.url)
    const answer = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/.well-known/openid-configuration')
      answer({
        issuer: this.url,
        authorization_endpoint: `${this.url}/authorize`,
        token_endpoint: `${this.url}/token`,
        jwks_uri: `${this.url}/keys`,
        code_challenge_methods_supported: ['S256'],
      })
    else if (pathname === '/keys') answer({ keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256' }] })
    else if (pathname === '/authorize') response.writeHead(302, { location: this.#authorize(query) }).end()
    else if (pathname === '/token') {
      const form = new URLSearchParams(await text(request))
      this.asked.push(form)
      const token = await this.#redeem(form)
      if (token) answer({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: token })
      else answer({ error: 'invalid_grant' }, 400)
    } else response.writeHead(404).end()
  }

  #authorize(query: URLSearchParams): string {
    const location = new URL(query.get('redirect_uri') ?? '')
    location.searchParams.set('state', query.get('state') ?? '')
    if (this.misbehaviour.isDenied) location.searchParams.set('error', 'access_denied')
    else {
      const code = randomUUID()
      this.#grants.set(code, {
        challenge: query.get('code_challenge_method') === 'S256' ? (query.get('code_challenge') ?? '') : '',
        nonce: query.get('nonce') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
      })
      location.searchParams.set('code', code)
    }
    return location.href
  }

  /** Returns an ID token if the code, the secret of the client and the verifier of PKCE are right. A code works once. */
  async #redeem(form: URLSearchParams): Promise<string | undefined> {
    const code = form.get('code') ?? ''
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri') &&
      form.get('client_id') === clientId &&
      form.get('client_secret') === clientSecret
    if (!isRight) return undefined
    const { claims, nonce, audience, expires, key } = this.misbehaviour
    return new SignJWT({ nonce: nonce ?? grant.nonce, name: 'Ada Lovelace', ...claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setSubject('ada')
      .setIssuer(this.url)
      .setAudience(audience ?? clientId)
      .setIssuedAt()
      .setExpirationTime(expires ?? '5m')
      .sign(key ?? this.#key)
  }
}
