import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'

/** rfbproto, QEMU Extended Key Event: that the rectangle comes is all it says. */
export function readQemuKeySupport(_: Rect, { announce }: Session): void {
  announce('qemu-key-event')
}
