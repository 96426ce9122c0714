import { createSecretKey } from 'node:crypto'
import { MappingTokens } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { SecretKeys } from '../../auth/secret-keys.ts'

/**
 * The tokens that a client gets with a sandbox. Each names the credential that it was given to, and is derived from that and
 * the sandbox, so it is stored nowhere, ends with the credential, and is worth nothing for another sandbox.
 */
export class AccessTokens {
  readonly #daemon: MappingTokens
  readonly #traffic: MappingTokens
  readonly #upload: MappingTokens

  constructor(keys: SecretKeys) {
    this.#daemon = tokensOf(keys, 'sandglass e2b daemon tokens')
    this.#traffic = tokensOf(keys, 'sandglass e2b traffic tokens')
    this.#upload = tokensOf(keys, 'sandglass e2b upload tokens')
  }

  /** Returns the token for the programs and files of a sandbox. */
  forDaemon(sandboxId: string, member: OrganizationPrincipal): string {
    return this.daemonTokenOf(sandboxId, holderOf(member))
  }

  /** Returns the same token for the holder whom {@link daemonHolder} names. */
  daemonTokenOf(sandboxId: string, holder: string): string {
    return this.#daemon.of(sandboxId, holder)
  }

  /** Returns the token for the ports of a sandbox, of which none is public. */
  forTraffic(sandboxId: string, member: OrganizationPrincipal): string {
    return this.#traffic.of(sandboxId, holderOf(member))
  }

  /** Returns the token for uploading the file with this hash. */
  forUpload(hash: string, member: OrganizationPrincipal): string {
    return this.#upload.of(hash, holderOf(member))
  }

  /** Returns the credential that a token was given to, or undefined if it is none of this sandbox. */
  daemonHolder(sandboxId: string, token: string): string | undefined {
    return this.#daemon.holderOf(sandboxId, token)
  }

  uploadHolder(hash: string, token: string): string | undefined {
    return this.#upload.holderOf(hash, token)
  }

  trafficHolder(sandboxId: string, token: string): string | undefined {
    return this.#traffic.holderOf(sandboxId, token)
  }
}

function tokensOf(keys: SecretKeys, purpose: string): MappingTokens {
  const [newest, ...older] = keys.derive(purpose)
  return new MappingTokens(createSecretKey(newest), ...older.map(key => createSecretKey(key)))
}

/** The credential of a caller as a text. People who signed in have none that could be recognised again. */
function holderOf({ kind, id, session }: OrganizationPrincipal): string {
  if (kind === 'user' || session)
    throw new ApiError('auth.FORBIDDEN', { message: 'Clients of E2B need an API key of this service.' })
  return `${kind}:${id}`
}
