import type { Damage, Rect } from './rect.ts'

/** One monitor of the desktop (rfbproto, ExtendedDesktopSize). */
export interface Screen extends Rect {
  readonly id: number
  readonly flags: number
}

/** Extensions that may only be used once the server has announced them. */
export type Feature =
  | 'continuous-updates'
  | 'extended-clipboard'
  | 'fence'
  | 'qemu-key-event'
  | 'set-desktop-size'

/** Who caused a change of the desktop's size. */
export type ResizeReason = 'server' | 'this-client' | 'other-client'
/** Why the server refused a SetDesktopSize. */
export type ResizeRefusal = 'prohibited' | 'out-of-resources' | 'invalid-layout' | 'other'

/** What the client reports while it receives. */
export type RfbEvent =
  /**
   * The handshake is complete, and pixel format and encodings have been requested. Updates may be requested from now
   * on.
   */
  | { readonly type: 'ready'; readonly width: number; readonly height: number; readonly name: string }
  /**
   * A FramebufferUpdate has been drawn into the framebuffer; `rects` lists its rectangles in order. An update without
   * rectangles also answers a request: TigerVNC answers each non-incremental request this way, and sends the pixels
   * when asked again.
   */
  | { readonly type: 'update'; readonly rects: readonly Damage[] }
  /**
   * The framebuffer was replaced, or only its screens changed. `screens` is empty if the server does not report them.
   */
  | {
      readonly type: 'resize'
      readonly width: number
      readonly height: number
      readonly reason: ResizeReason
      readonly screens: readonly Screen[]
    }
  /** The server refused this client's SetDesktopSize. */
  | { readonly type: 'resize-refused'; readonly refusal: ResizeRefusal }
  /**
   * The shape of the pointer, not premultiplied. A cursor without pixels is invisible: TigerVNC uses that to announce
   * that it paints the cursor into the picture, which it does while the pointer is not where this client put it.
   */
  | {
      readonly type: 'cursor'
      readonly width: number
      readonly height: number
      readonly hotX: number
      readonly hotY: number
      readonly rgba: Uint8Array
    }
  /** A program on the machine has moved the pointer. */
  | { readonly type: 'pointer'; readonly x: number; readonly y: number }
  | { readonly type: 'bell' }
  /** Clipboard text from a server without `extended-clipboard`. */
  | { readonly type: 'cut-text'; readonly text: string }
  /** The machine has a new clipboard text, or none. `clipboardRequest` requests it. */
  | { readonly type: 'clipboard-offer'; readonly hasText: boolean }
  /** The machine asks whether this side has a text, or for the text itself. */
  | { readonly type: 'clipboard-request'; readonly what: 'offer' | 'text' }
  /** The requested clipboard text. */
  | { readonly type: 'clipboard'; readonly text: string }
  /** The server's answer to a fence of this client. The server's own fences are answered automatically. */
  | { readonly type: 'fence'; readonly flags: number; readonly payload: Uint8Array }
  /** Sent once per feature. */
  | { readonly type: 'supported'; readonly feature: Feature }
  | { readonly type: 'continuous-updates-ended' }
