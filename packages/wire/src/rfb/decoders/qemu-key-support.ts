import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'

/** rfbproto, QEMU Extended Key Event: the presence of the rectangle announces support; it has no data. */
export function readQemuKeySupport(_: Rect, { announce }: Session): void {
  announce('qemu-key-event')
}
