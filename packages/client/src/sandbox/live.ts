import type { Control, LiveInvitation, LiveScope } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { SandglassError } from '../errors.ts'
import type { Output } from '../operations.ts'
import { reachableUrl } from './service-url.ts'
import type { Target } from './target.ts'

export interface ShareOptions extends CallOptions {
  /** What the person may do: `view` by default. Every right includes it. */
  readonly scope?: readonly LiveScope[] | undefined
  /** For how long. An hour by default, and never longer than the sandbox. */
  readonly lifetimeSeconds?: number | undefined
}

/** How to connect to the live view: addresses to try, and the token and room for them. */
export type LiveConnection = Awaited<Output<'createLiveToken'>>

/** A link for a person. */
export interface Invitation extends LiveInvitation {
  /** Opens the live view in a browser. It is shown only once. */
  readonly url: string
  readonly code: string
}

/** The live view of a sandbox. */
export class Live {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Returns what a viewer of your own needs to connect, with a token for it.
   *
   * @example
   * const { gatewayAddresses, endUserToken, roomId } = await box.live().connect({ scope: ['input'] })
   */
  connect(options: ShareOptions = {}): Promise<LiveConnection> {
    const { client, sandboxId } = this.#target
    return client.createLiveToken({ sandboxId, body: shareOf(options) }, options)
  }

  /**
   * Makes a link that shows the sandbox to a person.
   *
   * @example
   * const { url } = await box.live().invite({ scope: ['input'], lifetimeSeconds: 600 })
   */
  async invite(options: ShareOptions = {}): Promise<Invitation> {
    const { client, sandboxId } = this.#target
    const made = await client.createLiveInvitation({ sandboxId, body: shareOf(options) }, options)
    const { url, code } = made
    if (url === undefined || code === undefined)
      throw new SandglassError(
        'The link of this invitation was shown before and cannot be shown again. Revoke it, and invite anew.',
        { code: 'client.SHOWN_ONCE', fields: { invitationId: made.id } },
      )
    const { url: base } = await client.credentials()
    return { ...made, url: reachableUrl(url, base, '/view'), code }
  }

  /**
   * Lists the invitations that are valid.
   *
   * @example
   * for (const { id, expiresAt } of await box.live().invitations()) console.log(id, expiresAt)
   */
  invitations(options: CallOptions = {}): Promise<readonly LiveInvitation[]> {
    const { client, sandboxId } = this.#target
    return client.listLiveInvitations({ sandboxId }, options)
  }

  /**
   * Revokes an invitation, and disconnects who came with it.
   *
   * @example
   * await box.live().revoke(invitation.id)
   */
  async revoke(invitationId: string, options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    await client.revokeLiveInvitation({ sandboxId, invitationId }, options)
  }

  /**
   * Revokes all invitations and tokens, and disconnects everybody.
   *
   * @example
   * await box.live().revokeAll()
   */
  async revokeAll(options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    await client.revokeLiveTokens({ sandboxId }, options)
  }

  /**
   * Calls a person (`user`), or takes control back (`agent`).
   *
   * @example
   * await box.live().control('user', 'Please solve the captcha.')
   */
  async control(holder: Control, message?: string, options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    const body = { holder, ...(message !== undefined && { message }) }
    await client.setSandboxControl({ sandboxId, body }, options)
  }
}

function shareOf({ scope, lifetimeSeconds }: ShareOptions) {
  return {
    ...(scope && { scope: [...scope] }),
    ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
  }
}
