import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'

/**
 * rfbproto, VMware Cursor Position: where the rectangle is, the pointer is. Nothing follows the header. A place
 * outside the picture is of no use to anyone and is not told.
 */
export function readPointerPosition({ x, y }: Rect, { framebuffer, emit }: Session): void {
  if (x < framebuffer.width && y < framebuffer.height) emit({ type: 'pointer', x, y })
}
