import { ApiError } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'
import { cookiesNamed, cookieText } from './cookies.ts'

/** With the `__Host-` prefix, browsers reject the cookie from any other host, and require TLS. */
const names = { secure: '__Host-sandglass-session', plain: 'sandglass-session' } as const

/** The cookie that carries the secret of a session. */
export class SessionCookie {
  readonly #publicUrl: () => string

  constructor(publicUrl: () => string) {
    this.#publicUrl = publicUrl
  }

  get #isSecure(): boolean {
    return this.#publicUrl().startsWith('https:')
  }

  get #name(): string {
    return this.#isSecure ? names.secure : names.plain
  }

  /** Returns the secret in a Cookie header. Several are refused, because a sibling host may have set one of them. */
  read(header: string | undefined): string | undefined {
    const [secret, ...more] = this.all(header)
    if (more.length > 0)
      throw new ApiError('auth.AMBIGUOUS', {
        message: 'The request has several session cookies, one of which another host may have set.',
      })
    return secret
  }

  /** All secrets in a Cookie header. */
  all(header: string | undefined): string[] {
    return cookiesNamed(header, this.#name)
  }

  /** Returns the secret in a request that another process forwarded, which may have a public URL with another protocol. */
  readForwarded(header: string | undefined): string | undefined {
    return cookiesNamed(header, names.secure)[0] ?? cookiesNamed(header, names.plain)[0]
  }

  set(reply: FastifyReply, secret: string, expiresAt: Date): void {
    const [name, isSecure] = [this.#name, this.#isSecure]
    reply.header('set-cookie', cookieText({ name, value: secret, expiresAt, sameSite: 'Strict', isSecure }))
    reply.header('cache-control', 'no-store')
  }

  clear(reply: FastifyReply): void {
    this.set(reply, '', new Date(0))
  }
}
