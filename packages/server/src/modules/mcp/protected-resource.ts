import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../settings.ts'

/** RFC 9728 appends the path of the resource to this path. */
const wellKnown = '/.well-known/oauth-protected-resource'

/** Tells clients which issuer's tokens are accepted (RFC 9728), if an OIDC issuer is set. */
export class ProtectedResource {
  readonly #issuer: string
  readonly #publicUrl: () => string

  private constructor(issuer: string, publicUrl: () => string) {
    this.#issuer = issuer
    this.#publicUrl = publicUrl
  }

  static from(
    { SANDGLASS_OIDC_ISSUER: issuer }: Settings,
    publicUrl: () => string,
  ): ProtectedResource | undefined {
    return issuer === undefined ? undefined : new ProtectedResource(issuer, publicUrl)
  }

  /** The WWW-Authenticate header for a caller without a credential. It says where to learn how to get one. */
  challenge(path: string): string {
    return `Bearer realm="sandglass", resource_metadata="${this.#publicUrl()}${wellKnown}${path}"`
  }

  serve(app: FastifyInstance): void {
    const document = (path: string) => ({
      resource: `${this.#publicUrl()}${path}`,
      authorization_servers: [this.#issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Sandglass',
    })
    app.get<{ Params: { mcpServerId: string } }>(`${wellKnown}/api/mcp/:mcpServerId`, async ({ params }) =>
      document(`/api/mcp/${encodeURIComponent(params.mcpServerId)}`),
    )
    app.get(wellKnown, async () => document(''))
  }
}
