import type { Connect } from '@sandglass/protocol'

export interface LiveOptions {
  /** From getSandbox, or from an invitation. */
  readonly connectDetails: Connect
  /** Where the screen is shown; it fills this element, which must have a size of its own. */
  readonly element: HTMLElement
  /** Asked for newer details when the token has ended or the service is not found where it was. */
  readonly freshDetails?: () => Promise<Connect>
  /** What the others in the room see. */
  readonly name?: string
  /** Without it no H.264 is asked for, also where the browser could draw it. */
  readonly video?: boolean
}
