import type { ScreenSize } from './spec.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Rect extends Point {
  readonly width: number
  readonly height: number
}

/** What the pointer looks like now. */
export interface CursorImage {
  readonly width: number
  readonly height: number
  /** The pixel of the picture that lies on the pointer's position. */
  readonly hotspot: Point
  /** Rows from the top, four bytes a pixel: red, green, blue, alpha (not premultiplied). */
  readonly rgba: Uint8Array
}

/** A copy of the screen at one moment. Whoever asked for it owns its memory. */
export interface Frame extends ScreenSize {
  /** Rows from the top, four bytes a pixel: red, green, blue, and one that means nothing. */
  readonly pixels: Uint8Array<ArrayBuffer>
  /** Not in the pixels. */
  readonly pointer: Point & { readonly image?: CursorImage | undefined }
}
