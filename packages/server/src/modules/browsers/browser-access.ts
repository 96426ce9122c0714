import { ApiError, type BrowserConnection } from '@sandglass/protocol'
import { heldBy } from '../../auth/held-credential.ts'
import type { OpenByCredential } from '../../auth/open-by-credential.ts'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { SecretKeys } from '../../auth/secret-keys.ts'
import { earlier, selectValid } from '../../auth/valid-credentials.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Pool } from '../../db/database.ts'
import { type SandboxRow, selectById } from '../../records/sandboxes.ts'
import { type BrowserClaims, BrowserTokens } from './browser-tokens.ts'

/** The role that a credential must keep for its URLs to work. */
const requiredRole = 'member' as const

/** Somebody who came with a valid URL. */
export interface BrowserGuest extends BrowserClaims {
  readonly sandbox: SandboxRow
  /** How long the URL is still valid. */
  readonly leftMs: number
  /** Registers a function that ends what was opened, for when the credential ends. Returns one that removes it. */
  enter(end: () => void): () => void
}

export interface BrowserAccessParts {
  readonly pool: Pool
  readonly keys: SecretKeys
  readonly clock: DatabaseClock
  readonly open: OpenByCredential
  readonly publicUrl: () => string
}

/** Hands out the URLs of browsers, and decides who may come in with one. */
export class BrowserAccess {
  readonly #parts: BrowserAccessParts
  readonly #tokens: BrowserTokens

  constructor(parts: BrowserAccessParts) {
    this.#parts = parts
    this.#tokens = new BrowserTokens(parts.keys, parts.clock)
  }

  async grant(
    member: OrganizationPrincipal,
    { id: sandboxId, browser_epoch: epoch }: SandboxRow,
    lifetimeSeconds: number,
  ): Promise<BrowserConnection> {
    const credential = { ...heldBy(member), role: requiredRole }
    const wanted = new Date(this.#parts.clock.now() + lifetimeSeconds * 1000)
    const end = earlier(wanted, credential.expiresAt) ?? wanted
    // Tokens express time in whole seconds.
    const expiresAt = new Date(Math.floor(end.getTime() / 1000) * 1000)
    const token = await this.#tokens.seal({ sandboxId, epoch, credential, expiresAt })
    const { ws, http } = this.urlsOf(token)
    return { wsUrl: ws, httpUrl: http, expiresAt: expiresAt.toISOString() }
  }

  /** What the URLs of a token begin with. */
  urlsOf(token: string): { readonly ws: string; readonly http: string } {
    const http = `${this.#parts.publicUrl()}/cdp/${token}`
    return { http, ws: http.replace(/^http/, 'ws') }
  }

  /** Throws if the token is wrong, expired or revoked, or if the sandbox or the credential behind it has ended. */
  async admit(token: string): Promise<BrowserGuest> {
    const { pool, open, clock } = this.#parts
    const { changes } = open
    const claims = await this.#tokens.open(token)
    if (!claims) throw new ApiError('browser.UNAUTHORIZED')
    const [credential] = await selectValid(pool.prepared, [claims.credential])
    const sandbox = credential && (await selectById(pool.db, claims.sandboxId))
    if (!credential || sandbox?.browser_epoch !== claims.epoch) throw new ApiError('browser.UNAUTHORIZED')
    return {
      ...claims,
      sandbox,
      leftMs: claims.expiresAt.getTime() - clock.now(),
      enter: end => open.enter(credential, end, changes),
    }
  }
}
