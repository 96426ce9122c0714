import type { Input } from './input.ts'
import type { Point, Rect } from './rect.ts'
import type { ScreenSize } from './spec.ts'
import type { UiElement, UiTree } from './ui-tree.ts'

/** A changed region; `from` is set if its content is known to have been copied from there. */
export interface Damage extends Rect {
  readonly from?: Point
}

/** The image of the pointer. */
export interface CursorImage {
  readonly width: number
  readonly height: number
  /** The pixel of the image that is at the pointer's position. */
  readonly hotspot: Point
  /** Rows from the top, four bytes per pixel: red, green, blue, alpha (not premultiplied). */
  readonly rgba: Uint8Array
}

/** A copy of the screen at one moment. The caller owns its memory. */
export interface Frame extends ScreenSize {
  /** Rows from the top, four bytes per pixel: red, green, blue and an unused one. */
  readonly pixels: Uint8Array<ArrayBuffer>
  /** The pointer is not drawn into the pixels if it has an image; otherwise it may be. */
  readonly pointer: Point & { readonly image?: CursorImage | undefined }
}

/** A frame, and what changed before it. */
export interface Look {
  readonly frame: Frame
  /** The regions that changed since the previous look. */
  readonly changed: readonly Rect[]
}

/** What a screen shows, for a picture that is made now and then. */
export interface Sample {
  /** Two samples with the same number have the same pixels. */
  readonly version: number
  /** Left out if the caller has the frame of this version. */
  readonly frame?: Frame
}

/** How to wait for the screen to settle. */
export interface SettleOptions {
  /** The screen has settled when nothing significant changed for this long. */
  readonly quietMs: number
  /** The timeout. */
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Why a wait for rest ended. `background` means that something still moves or works, but did so before, or does so by
 * itself.
 */
export type Rest = 'rest' | 'background' | 'timeout'

/** The text clipboard of a machine. */
export interface Clipboard {
  /** Calls back whenever a program in the machine copies text, until the returned function is called. */
  watch(onCopy: (text: string) => void): Promise<() => void>
  /** Sets the text that programs in the machine paste from now on. */
  write(text: string): Promise<void>
}

/**
 * Receives changes in order; the list is empty if only the pointer moved. The pixels are the screen's own memory and not a
 * copy: they follow the screen until another frame is passed, may already contain a part of the next change, and must not
 * be written to. After the connection to the desktop was lost, the whole screen is reported again.
 */
export type Watcher = (changed: readonly Damage[], now: Frame) => void

/** A small region of the current screen. The receiver owns its memory. */
export interface Glimpse {
  readonly area: Rect
  /** As in a frame, but of the area only. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

/**
 * The screen of a machine and the input to it. It connects when it is first used, and again after a failure, so callers
 * never reopen it.
 */
export interface Screen {
  /** The current size, which programs in the machine can change. */
  size(): Promise<ScreenSize>
  /**
   * Takes a frame. It is put into `memory` if that has the right size, which saves an allocation per frame. If it is what
   * the previous look has returned, unchanged, only what has changed since then may be copied.
   */
  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look>
  /**
   * Takes a frame, unless the screen still shows the version that the caller has. It does not follow what happens between two
   * samples, so it costs nothing while the screen is at rest, and little while a film plays. What `look` reports as changed is the
   * same as without it.
   */
  sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample>
  /**
   * Waits until the screen has settled, counted from now, and resolves to false if it did not within `maxMs`. Small periodic
   * changes such as a caret or a spinner count as settled.
   */
  settled(options: SettleOptions): Promise<boolean>
  /** Waits until `look` returns what programs had drawn before the call. Undefined if nobody can tell. */
  drawn?(): Promise<void>
  /** Notes what goes on before an action, so that `atRest` can tell what the action causes. Takes no time. */
  begin?(): void
  /**
   * Waits until everything that was caused since `begin` is over: windows have opened and are painted, and programs are
   * idle. Without an earlier `begin` it counts from now. Undefined if only the picture of the machine can be observed.
   */
  atRest?(options: SettleOptions): Promise<Rest>
  /** Calls back with the whole screen first and then with its changes, until the returned function is called. */
  watch(watcher: Watcher): Promise<() => void>
  /**
   * Calls back with small changes of a settled screen a few milliseconds before watchers see them, until the returned
   * function is called. Not every change is reported here; `watch` reports all of them.
   */
  glimpse?(onGlimpse: (glimpse: Glimpse) => void): () => void
  /** The keyboard and mouse. */
  input(): Promise<Input>
  /** The accessibility tree of what is on the screen. STATE, with the reason, if no program provides one. */
  uiTree?(): Promise<UiTree>
  /** Describes the other window that covers an element at this point; undefined if none does. Covers in the tree are not checked. */
  coverOf?(element: UiElement, at: Point, tree: UiTree): Promise<string | undefined>
  /** Replaces the text of an element in one change. MISMATCH if the element is no longer as it was described. */
  setText?(element: UiElement, text: string): Promise<void>
  /** Undefined if the machine gives no access to its clipboard. */
  readonly clipboard?: Clipboard | undefined
}
