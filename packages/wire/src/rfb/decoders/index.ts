import { encoding } from '../encodings.ts'
import type { Damage, Rect } from '../rect.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { readCopyRect } from './copy-rect.ts'
import { readCursor } from './cursor.ts'
import { readCursorWithAlpha } from './cursor-with-alpha.ts'
import { readDesktopSize } from './desktop-size.ts'
import { readExtendedDesktopSize } from './extended-desktop-size.ts'
import { readPointerPosition } from './pointer-position.ts'
import { readQemuKeySupport } from './qemu-key-support.ts'
import { readRaw } from './raw.ts'
import { readZrle } from './zrle.ts'

/** Reads the data after the header of a rectangle. */
export type Decoder = (rect: Rect, session: Session) => Step<void>

/** Encodings that carry pixels. Their decoders return what changed. */
export const pixelDecoders: ReadonlyMap<number, (rect: Rect, session: Session) => Step<Damage>> = new Map([
  [encoding.raw, readRaw],
  [encoding.copyRect, readCopyRect],
  [encoding.zrle, readZrle],
])

/** Pseudo-encodings that carry data other than pixels. */
export const pseudoDecoders: ReadonlyMap<number, Decoder> = new Map([
  [encoding.cursor, readCursor],
  [encoding.cursorWithAlpha, readCursorWithAlpha],
  [encoding.extendedDesktopSize, readExtendedDesktopSize],
])

/** Pseudo-encodings that consist of the header only. */
export const headerDecoders: ReadonlyMap<number, (rect: Rect, session: Session) => void> = new Map([
  [encoding.desktopSize, readDesktopSize],
  [encoding.qemuExtendedKeyEvent, readQemuKeySupport],
  [encoding.vmwareCursorPosition, readPointerPosition],
])
