import type { Point, Rect, Rest, ScreenSize, SettleOptions, UiTree } from '@sandglass/machines/contract'
import type { RequestedAction, Settle } from '@sandglass/protocol'
import type { Capture, CaptureChoice } from './capture.ts'
import type { Thumbnail } from './thumbnail.ts'

/** How to look at a screen. What is left out is not done. */
export interface LookRequest {
  /** Wait first until the picture has what programs had drawn before, if the machine can tell. */
  readonly drawn?: boolean
  /** Wait first until the screen, or everything in the machine, is at rest. */
  readonly settle?: SettleRequest | undefined
  /** Take a picture. */
  readonly picture?: CaptureChoice | undefined
  /** Where the pointer is, once the machine has taken all input. */
  readonly cursor?: boolean
  readonly elements?: boolean
}

export interface SettleRequest extends Pick<SettleOptions, 'quietMs'> {
  /** 9 s for a machine and 2 s for a screen if left out. */
  readonly maxMs?: number | undefined
  readonly until: Settle['until']
}

/** What a look found. */
export interface Looked {
  /** Why the wait ended that was requested. */
  readonly settled?: Rest
  readonly capture?: Capture
  /** The regions that changed since the previous picture, if one was taken. */
  readonly changed: readonly Rect[]
  readonly cursor?: Point & { readonly screen: ScreenSize }
  /** A failure does not fail the look, because the action before it cannot be undone. */
  readonly elements?: { readonly tree: UiTree } | { readonly error: unknown } | undefined
}

export interface Performed {
  /** What the action returned, if it returns something. */
  readonly result: unknown
  /** Set if a look was requested. */
  readonly looked?: Looked | undefined
}

/** The screen of a running machine. Every call costs one round trip to the process that reads what the machine sends. */
export interface RunningScreen {
  size(): Promise<ScreenSize>
  /** Performs an action, and then looks at the screen if `look` is given. INVALID if this kind of machine does not take it. */
  perform(
    action: RequestedAction,
    options: { readonly look?: LookRequest; readonly signal: AbortSignal },
  ): Promise<Performed>
  look(request: LookRequest, signal: AbortSignal): Promise<Looked>
  /**
   * Returns a small picture of the screen, which may be half a second old. Nothing is encoded while the screen is at rest, whoever
   * asks, and what `look` returns is the same as without it. `known` is the tag of a picture that the caller has.
   */
  thumbnail(width: number, known?: string): Promise<Thumbnail>
  /** Notes what goes on in the machine before something is done to it that is no action; the next look compares with it. */
  begin(): Promise<void>
}
