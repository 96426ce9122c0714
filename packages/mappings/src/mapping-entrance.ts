import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { admit, mappingTokens } from './admission.ts'
import { answerError } from './answers.ts'
import type { Client } from './client.ts'
import type { Destination } from './destination.ts'
import type { Asked, Entrance } from './entrance.ts'
import { isTokenHeader } from './headers.ts'
import type { MappingNames } from './names.ts'
import type { TokenHolders } from './token-holders.ts'
import type { MappingTokens } from './tokens.ts'

export interface MappingEntranceParts {
  readonly names: MappingNames
  readonly tokens: MappingTokens
  readonly holders: TokenHolders
  /** Finds where a mapping leads; an ApiError says why it leads nowhere. */
  readonly find: (id: string) => Destination | Promise<Destination>
}

/** The hosts of mappings, which have a token each. */
export class MappingEntrance implements Entrance {
  readonly #parts: MappingEntranceParts

  constructor(parts: MappingEntranceParts) {
    this.#parts = parts
  }

  claims(request: IncomingMessage): boolean {
    return this.#parts.names.claims(request.headers.host)
  }

  ask(request: IncomingMessage, { protocol }: Client): Asked {
    const { names, tokens, holders, find } = this.#parts
    const id = names.idOf(request.headers.host)
    if (id === undefined) throw new ApiError('mapping.NOT_FOUND')
    return {
      id,
      admission: admit(request, token => tokens.holderOf(id, token), protocol === 'https', mappingTokens),
      // Development servers accept localhost, every name below it and IP addresses, and reject other names until configured.
      // Below a custom domain they therefore get the address that they listen on, and the original name in X-Forwarded-Host.
      keepsHost: names.isLocal,
      isSharedHost: false,
      hides: isTokenHeader,
      permit: holder => holders.permit(holder),
      find: () => find(id),
    }
  }

  refuse(_request: IncomingMessage, response: ServerResponse, error: ApiError): void {
    answerError(response, error)
  }
}
