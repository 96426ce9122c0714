import type { Connect } from '@sandglass/protocol'

/** What {@link connectLive} needs. Only `connectDetails` and `element` are required. */
export interface LiveOptions {
  /** The `connectDetails` of getSandbox, or what redeemLiveInvitation returns. */
  readonly connectDetails: Connect
  /** The screen fills this element, which must have a size of its own. */
  readonly element: HTMLElement
  /**
   * Called when the token has expired or the service cannot be reached. Without it the view ends once its token is no
   * longer accepted.
   */
  readonly freshDetails?: () => Promise<Connect>
  /** The name that other viewers see. */
  readonly name?: string
  /** False never requests H.264, even if the browser can decode it. The default is true. */
  readonly video?: boolean
}
