import type { Input } from './input.ts'
import type { Point, Rect } from './rect.ts'
import type { ScreenSize } from './spec.ts'
import type { UiElement, UiTree } from './ui-tree.ts'

/** What of the screen became another. It is a copy of what was at `from` just before, where that is known. */
export interface Damage extends Rect {
  readonly from?: Point
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
  /** Not in the pixels, unless it has no image. */
  readonly pointer: Point & { readonly image?: CursorImage | undefined }
}

export interface Look {
  readonly frame: Frame
  /** What changed since the look before. */
  readonly changed: readonly Rect[]
}

export interface SettleOptions {
  /** At rest means that nothing worth mentioning changed for so long. */
  readonly quietMs: number
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/** The text that is copied in one program of a machine and pasted in another. */
export interface Clipboard {
  /** Hears of what programs of the machine copy, until the function that comes back is called. */
  watch(onCopy: (text: string) => void): Promise<() => void>
  /** What programs of the machine paste from now on. */
  write(text: string): Promise<void>
}

/**
 * Told what has changed, in its order; nothing where only the pointer did. The pixels are the screen's own memory and no copy: they go on
 * following the screen until another frame is told, and may be in the midst of a change that is told soon. Nobody writes
 * into them. When the desktop was away for a moment, the whole screen is told anew.
 */
export type Watcher = (changed: readonly Damage[], now: Frame) => void

/** A small part of the screen as it is now. Whoever is told owns its memory. */
export interface Glimpse {
  readonly area: Rect
  /** As in a frame, of the area alone. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

/** What a person in front of the machine sees, and their hands on it. Connects when it is used. */
export interface Screen {
  /** As it is now: programs in the machine can change it. */
  size(): Promise<ScreenSize>
  /** The frame is in the memory given, where that is of its size. */
  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look>
  /** Whether the screen came to rest, counted from now, before `maxMs` were over. A caret or a spinner is rest. */
  settled(options: SettleOptions): Promise<boolean>
  /** Sees the whole screen first and then its changes, until the function that comes back is called. */
  watch(watcher: Watcher): Promise<() => void>
  /**
   * Sees small changes on a screen that was at rest some milliseconds before who watches does, until the function that
   * comes back is called. Whoever watches is told all of them as well: not every change is seen here.
   */
  glimpse?(onGlimpse: (glimpse: Glimpse) => void): () => void
  input(): Promise<Input>
  /** What programs tell of what they show, for who cannot see it. STATE where nobody tells, with the reason. */
  uiTree?(): Promise<UiTree>
  /** What another window has over this place of an element, in words; nothing that the tree itself tells. */
  coverOf?(element: UiElement, at: Point, tree: UiTree): Promise<string | undefined>
  /** Puts text in place of what an element holds, as one change. MISMATCH where it is not there as it is told here. */
  setText?(element: UiElement, text: string): Promise<void>
  /** Undefined where the machine lets nobody at it. */
  readonly clipboard?: Clipboard | undefined
}
