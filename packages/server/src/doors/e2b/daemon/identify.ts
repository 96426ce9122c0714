import { isSignedWith, type SignedFile } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../../../auth/principal.ts'
import { parseInput } from '../../../http/input.ts'
import { selectById } from '../../../records/sandboxes.ts'
import type { DoorParts } from '../door-parts.ts'
import { principalOf } from '../holders.ts'
import { FileQuery } from './file-query.ts'

/** Identifies the callers of a daemon by the access token of its sandbox, or by a signature that was made with it. */
export class DaemonCallers {
  readonly #parts: DoorParts

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  readonly byToken = (request: FastifyRequest): Principal | Promise<Principal> => {
    const token = request.headers['x-access-token']
    if (typeof token !== 'string' || token === '')
      throw new ApiError('auth.MISSING', { message: 'The header X-Access-Token is missing.' })
    return principalOf(this.#parts, this.#parts.tokens.daemonHolder(sandboxIdIn(request), token))
  }

  /** Files can also be read and written with a signed URL. */
  readonly byTokenOrSignature = (request: FastifyRequest): Principal | Promise<Principal> => {
    const {
      signature,
      signature_expiration: expiration,
      path,
      username,
    } = parseInput(FileQuery, request.query, 'query')
    if (request.headers['x-access-token'] !== undefined || signature === undefined)
      return this.byToken(request)
    if (expiration !== undefined && expiration * 1000 <= this.#parts.sandboxes.clock.now())
      throw new ApiError('auth.INVALID', { message: 'The signature of this URL has expired.' })
    const operation = request.method === 'GET' ? 'read' : 'write'
    return this.#signerOf(sandboxIdIn(request), { path, operation, user: username, signature, expiration })
  }

  /** The signature does not say whose token it was made with, so the URLs of the credential that created the sandbox count. */
  async #signerOf(sandboxId: string, file: SignedFile): Promise<Principal> {
    const creator = (await selectById(this.#parts.pool.db, sandboxId))?.created_by
    const isValid = creator && isSignedWith(this.#parts.tokens.daemonTokenOf(sandboxId, creator), file)
    return await principalOf(this.#parts, isValid ? creator : undefined)
  }
}

export function sandboxIdIn({ params }: FastifyRequest): string {
  const { sandboxId = '' } = params as { readonly sandboxId?: string }
  return sandboxId
}
