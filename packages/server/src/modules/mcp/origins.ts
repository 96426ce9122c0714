import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../http/hosts.ts'
import type { Settings } from '../../settings.ts'

/**
 * The origins whose web pages may call an MCP server: the service itself, the CORS origins of the API, and local pages
 * if the service listens on a loopback address. Clients other than web pages send no Origin and are let through. The
 * Host header is checked for every request in http/hosts.ts.
 */
export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>
  readonly #areLocalAllowed: boolean

  constructor(settings: Settings) {
    const { SANDGLASS_PUBLIC_URL: publicUrl, SANDGLASS_CORS_ORIGINS: pages } = settings
    const urls = publicUrl === undefined ? pages : [...pages, publicUrl]
    this.#origins = new Set(urls.map(url => new URL(url).origin))
    this.#areLocalAllowed = isLoopback(settings.SANDGLASS_HOST)
  }

  require({ headers: { origin } }: FastifyRequest): void {
    if (origin === undefined || this.#origins.has(origin)) return
    const url = URL.parse(origin)
    if (url && this.#areLocalAllowed && isLoopback(url.hostname)) return
    throw new ApiError('request.ORIGIN_NOT_ALLOWED', {
      message: `Web pages from the Origin ${origin.slice(0, 200)} are not allowed to call the service.`,
    })
  }
}
