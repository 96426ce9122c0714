import type { Damage, Rect } from './rect.ts'

/** One monitor of the desktop (rfbproto, ExtendedDesktopSize). */
export interface Screen extends Rect {
  readonly id: number
  readonly flags: number
}

/** Extensions that are usable only once the server has shown that it knows them. */
export type Feature =
  | 'continuous-updates'
  | 'extended-clipboard'
  | 'fence'
  | 'qemu-key-event'
  | 'set-desktop-size'

export type ResizeReason = 'server' | 'this-client' | 'other-client'
export type ResizeRefusal = 'prohibited' | 'out-of-resources' | 'invalid-layout' | 'other'

export type RfbEvent =
  /** The handshake is done, and the pixel format and the encodings are asked for: now updates may be requested. */
  | { readonly type: 'ready'; readonly width: number; readonly height: number; readonly name: string }
  /**
   * One FramebufferUpdate is in the framebuffer, whose rectangles followed each other in this order. It answers the request also when it has no rectangles: TigerVNC
   * answers each request that is not incremental so, and sends the pixels when it is asked again after that.
   */
  | { readonly type: 'update'; readonly rects: readonly Damage[] }
  /** The framebuffer is another, or only its screens are. `screens` is empty when the server does not tell them. */
  | {
      readonly type: 'resize'
      readonly width: number
      readonly height: number
      readonly reason: ResizeReason
      readonly screens: readonly Screen[]
    }
  /** Our SetDesktopSize changed nothing. */
  | { readonly type: 'resize-refused'; readonly refusal: ResizeRefusal }
  /**
   * What the pointer looks like; the alpha is straight. A cursor without pixels is invisible: so TigerVNC tells that
   * it paints the cursor into the picture, as it does while the pointer is not where this client put it.
   */
  | {
      readonly type: 'cursor'
      readonly width: number
      readonly height: number
      readonly hotX: number
      readonly hotY: number
      readonly rgba: Uint8Array
    }
  /** A program of the machine has put the pointer there. */
  | { readonly type: 'pointer'; readonly x: number; readonly y: number }
  | { readonly type: 'bell' }
  /** From a server without `extended-clipboard`. */
  | { readonly type: 'cut-text'; readonly text: string }
  /** The machine has another text in its clipboard, or none: `clipboardRequest` asks for it. */
  | { readonly type: 'clipboard-offer'; readonly hasText: boolean }
  /** The machine wants to know whether there is a text here, or the text itself. */
  | { readonly type: 'clipboard-request'; readonly what: 'offer' | 'text' }
  /** What was asked for. */
  | { readonly type: 'clipboard'; readonly text: string }
  /** The answer to a fence of ours. The server's own fences are answered here. */
  | { readonly type: 'fence'; readonly flags: number; readonly payload: Uint8Array }
  /** Told once for each feature. */
  | { readonly type: 'supported'; readonly feature: Feature }
  | { readonly type: 'continuous-updates-ended' }
