import type { Permit, TokenHolders } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import { type HeldCredential, heldIn } from '../../auth/held-credential.ts'
import type { OpenByCredential } from '../../auth/open-by-credential.ts'
import { selectValid } from '../../auth/valid-credentials.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Prepared } from '../../db/database.ts'
import { asApiError } from '../../db/faults.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'

export interface CredentialHolderParts {
  readonly prepared: Prepared
  readonly listener: Pick<Listener, 'isFresh'>
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly open: OpenByCredential
}

/** The credentials behind the tokens of mappings. A valid one is cached until any credential changes. */
export class CredentialHolders implements TokenHolders {
  readonly #parts: CredentialHolderParts
  readonly #valid = new VouchedCache<HeldCredential | undefined>()

  constructor(parts: CredentialHolderParts) {
    this.#parts = parts
  }

  /** Returns without a promise if the credential is cached, because a promise would slow down every request. */
  permit(holder: string): Permit | Promise<Permit> {
    const { listener, open } = this.#parts
    const { changes } = open
    const cached = this.#valid.recall(holder, listener)
    if (cached) return this.#permitOf(cached, changes)
    return this.#valid
      .get(holder, listener, () => this.#find(holder))
      .then(
        found => this.#permitOf(found, changes),
        error => {
          throw asApiError(error) ?? error
        },
      )
  }

  /** Call this when a credential has changed, and when announcements may have been missed. */
  forgetAll(): void {
    this.#valid.forgetAll()
  }

  async #find(holder: string): Promise<HeldCredential | undefined> {
    const credential = heldIn(holder)
    return credential && (await selectValid(this.#parts.prepared, [credential]))[0]
  }

  #permitOf(credential: HeldCredential | undefined, changes: number): Permit {
    const { clock, open } = this.#parts
    const isOver = credential?.expiresAt && credential.expiresAt.getTime() <= clock.now()
    if (!credential || isOver)
      throw new ApiError('mapping.UNAUTHORIZED', {
        message: "The credential that the mapping's access token was given to is revoked or has expired.",
      })
    return { enter: end => open.enter(credential, end, changes) }
  }
}
