import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../settings.ts'

/** RFC 9728 puts the path of the resource behind this. */
const wellKnown = '/.well-known/oauth-protected-resource'

/** Tells clients whose tokens are taken (RFC 9728), where tokens of an issuer are. */
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

  /** What a caller without a credential is told: where to learn how to get one. */
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
