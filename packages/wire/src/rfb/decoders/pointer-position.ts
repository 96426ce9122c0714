import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'

/**
 * rfbproto, VMware Cursor Position: the position of the rectangle is that of the pointer, and no data follows.
 * Positions outside the picture are useless and not reported.
 */
export function readPointerPosition({ x, y }: Rect, { framebuffer, emit }: Session): void {
  if (x < framebuffer.width && y < framebuffer.height) emit({ type: 'pointer', x, y })
}
