import { Framebuffer } from '../framebuffer.ts'
import type { Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'

/** RFC 6143, 7.8.2: the width and height of the rectangle are the new size. No data follows. */
export function readDesktopSize({ width, height }: Rect, session: Session): void {
  resize(session, width, height)
  session.emit({ type: 'resize', width, height, reason: 'server', screens: [] })
}

export function resize(session: Session, width: number, height: number): void {
  const { framebuffer } = session
  if (width === framebuffer.width && height === framebuffer.height) return
  assertDesktopSize(session, width, height)
  session.budget.resize(width * height)
  session.framebuffer = framebuffer.resized(width, height)
}

/** A new framebuffer; throws if the options do not allow its size. */
export function checkedFramebuffer(session: Session, width: number, height: number): Framebuffer {
  assertDesktopSize(session, width, height)
  session.budget.pixels(width * height)
  return new Framebuffer(width, height)
}

function assertDesktopSize({ settings: { maxPixels } }: Session, width: number, height: number): void {
  if (width * height > maxPixels)
    throw new RfbError('LIMIT', `the desktop has ${width}x${height} pixels; at most ${maxPixels} are allowed`)
}
